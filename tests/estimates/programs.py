"""Sequential NumPy programs that use many ways to move and compute elements."""

PROGRAMS = {
    "roll": """
u = np.arange(24.0).reshape(4, 6)
for _ in range(3):
    u = 0.25 * (np.roll(u, 1, 0) + np.roll(u, -1, 0) + np.roll(u, 1, axis=1) + np.roll(u, -1, axis=1))
print(u.sum())
""",
    "strides": """
a = np.linspace(0.0, 1.0, 40)
b = a[::2] * a[1::2]
c = a[::-3] - b[:14]
a[5:25:4] = c[:5]
d = np.ascontiguousarray(a[::-1])
print(b, c, a)
""",
    "fancy": """
rng = np.random.default_rng(3)
x = rng.random(30)
index = rng.permutation(30)
y = x[index] + 1.0
y[index[:10]] += x[:10]
z = np.take(y, index, axis=0)
y[[1, 2, 3]] = z[[4, 5, 6]]
np.add.at(z, index[:5] % 4, 1.5)
rng.shuffle(x)
np.random.seed(1)
np.random.shuffle(y)
w = np.zeros((3, 4))
w[np.array([0, 2]), np.array([1, 3])] = x[:2]
print(y, z, w)
""",
    "where": """
x = np.sin(np.arange(20.0))
y = np.where(x > 0, x, -2.0 * x)
z = np.clip(y, 0.1, 0.7)
k = np.where(x > 0.5)[0]
print(y, z, k, np.maximum(x, y).min())
""",
    "masks": """
x = np.cos(np.arange(30.0))
m = x < 0
x[m] = -x[m]
x[~m] *= 2
count = m.sum()
print(x, count, x[m & (x > 0.5)].mean(), np.any(m), m.all())
""",
    "in place": """
a = np.ones((5, 5))
a += np.arange(5)
a[1:] -= a[:-1]
a[:, 2] *= 3
a /= 7
a[2, 3] **= 2
np.multiply(a, 2.0, out=a)
np.add(a[:-1], a[1:], out=a[:-1])
b = np.empty_like(a)
np.sqrt(np.abs(a), out=b)
print(a, b)
""",
    "views of views": """
a = np.arange(60.0).reshape(3, 4, 5)
b = a[1:, ::2]
c = b[..., 1:4].transpose(2, 0, 1)
c[0, 0, :] = -1.0
d = c.reshape(-1)
d[3] = 100.0
e = a.ravel()[10:40].reshape(5, 6).T
e[:, 1] += 0.5
f = a.swapaxes(0, 2)[None]
f[0, 1] = 9
print(a, c, d, e, f.shape, np.squeeze(f).shape)
""",
    "transposes": """
a = np.arange(20.0).reshape(4, 5)
b = a.T @ a
c = np.moveaxis(np.stack([b, b.T]), 0, -1)
d = np.asfortranarray(a) * 2
e = d.ravel(order="F") if hasattr(d, "never") else d.reshape(2, 10)
print(b, c.sum(axis=(0, 2)), d.sum(axis=0), e)
""",
    "concatenation": """
a, b = np.ones(4), np.arange(3.0)
c = np.concatenate([a, b, a * 2])
d = np.vstack([c, c + 1])
e = np.hstack([d, np.zeros((2, 1))])
f = np.pad(e, 1, mode="edge") + np.pad(e, 1)
g = np.tile(b, 3) - np.repeat(b, 3)
h = np.array([a[0], b[1], 5.0])
k = np.append(h, [1.0, 2.0])
p, q = np.split(c[:10], 2)
p[0] = 77.0
print(c, d, e, f, g, h, k, q, np.r_[a, b], np.column_stack([b, b]))
""",
    "einsum": """
a = np.arange(12.0).reshape(3, 4)
b = np.arange(20.0).reshape(4, 5)
c = np.einsum("ij,jk->ik", a, b)
d = np.einsum("ij->j", a)
e = np.einsum("ii", c[:, :3])
f = np.tensordot(a, b, 1) + np.dot(a, b)
g = np.inner(a, a) + np.outer(a[:, 0], a[:, 1])
h = np.matmul(np.stack([a, a]), b)
print(c, d, e, f, g, h, a @ b[:, 0], b[:, 0] @ b[:, 1], np.vdot(a, a), np.kron(a[:1], a[:1]))
""",
    "complex": """
x = np.exp(1j * np.arange(16.0))
f = np.fft.fft(x)
y = np.fft.ifft(f * np.conj(f)).real
x.real[2:4] = 1.0
z = np.abs(x) + x.imag - np.angle(x)
s = np.fft.fft2(np.outer(z, z))
r = np.fft.rfft(z)
print(f, y, z, s[0], np.fft.irfft(r), x.conj().sum())
""",
    "float32": """
a = np.arange(10, dtype=np.float32) / np.float32(3)
b = (a * 2).astype(np.float64) + a
c = a.sum(dtype=np.float64) + np.mean(a)
d = a ** 2 + a ** 0.5
a[:] = b
print(a.dtype, b.dtype, c, d, a, np.float32(1.5) * a[2])
""",
    "loops": """
n = 6
a = np.random.default_rng(0).random((n, n))
b = a.copy()
total = 0.0
for i in range(1, n - 1):
    for j in range(1, n - 1):
        b[i, j] = 0.25 * (b[i - 1, j] + b[i + 1, j] + b[i, j - 1] + b[i, j + 1])
        total += b[i, j] ** 2
if total > 1:
    b *= 2
print(b, total, max(b[0]), sum(b[1]), float(total), round(total, 3), -b[0, 0], abs(b[1, 1]))
""",
    "classes": """
class Field:
    def __init__(self, n):
        self.values = np.zeros(n)
        self.values[n // 2] = 1.0

    def smooth(self, times):
        def once(x):
            y = x.copy()
            y[1:-1] = (x[:-2] + 2 * x[1:-1] + x[2:]) / 4
            return y

        for _ in range(times):
            self.values = once(self.values)
        return self

    def __add__(self, other):
        found = Field(len(self.values))
        found.values = self.values + other.values
        return found

field = Field(9).smooth(2) + Field(9)
print(field.values, [f"{each:.3f}" for each in field.values])
""",
    "recursion": """
def transform(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transform(x[::2]), transform(x[1::2])
    t = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + t, even - t])

x = np.arange(8.0).astype(complex)
f = transform(x)
print(f, np.allclose(f, np.fft.fft(x)))
""",
    "along axes": """
x = np.random.default_rng(1).random((5, 6))
a = np.sort(x, axis=0)
b = np.cumsum(x, axis=1) + np.cumprod(x, axis=0)
c = x.std(axis=0) + x.var()
d = np.linalg.solve(x[:, :5] + 5 * np.eye(5), x[:, 5])
e = np.linalg.inv(x[:, :5] + 5 * np.eye(5))
f = np.linalg.cholesky(e @ e.T + np.eye(5))
g = np.argsort(x[0])
h = np.median(x, axis=1) + np.percentile(x, 30)
k = np.diff(x, axis=1)[:, 0] + np.gradient(x[:, 0]) + np.convolve(x[:, 1], x[:3, 2], "same")
print(a, b, c, d, e, f, g, h, k, np.linalg.norm(x), np.trace(x), x.argmax(), x.max(axis=1), np.cov(x), x.prod())
""",
    "histogram": """
x = np.random.default_rng(2).integers(0, 10, 50)
w = np.random.default_rng(2).random(50)
a = np.bincount(x, w)
b, edges = np.histogram(w, 5)
c = np.unique(x)
d = np.searchsorted(np.sort(w), 0.5)
e = np.add.reduceat(w, [0, 10, 30])
f = np.interp([0.1, 0.2], np.arange(3.0), w[:3])
print(a, b, edges, c, d, e, f, np.multiply.outer(w[:2], w[:3]), np.logical_or.reduce(x > 8))
""",
    "grids": """
y, x = np.mgrid[:4, :5]
r = np.hypot(x, y)
xx, yy = np.meshgrid(np.arange(3.0), np.arange(2.0))
f = np.fromfunction(lambda i, j: i * 10 + j, (3, 3))
t = np.tril(f) + np.triu(f, 1) - np.diag(np.diag(f))
i = np.eye(3) @ f + np.identity(3)
print(r, xx * yy, f, t, i, np.flip(f, 0), np.rot90(f), f[:, ::-1].T, np.trapezoid(f, axis=0))
""",
    "integers": """
life = np.zeros((8, 8), dtype=int)
life[1, 2] = life[2, 3] = life[3, 1] = life[3, 2] = life[3, 3] = 1
for _ in range(3):
    near = sum(np.roll(np.roll(life, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1)) - life
    life = ((near == 3) | ((life == 1) & (near == 2))).astype(int)
print(life, divmod(life[0, 0] + 7, 2), np.divmod(life[0] + 5, 3), life // 2 % 3 << 1, ~life[0])
""",
    "conditions": """
x, step = np.array([3.0, -2.0]), 0
while np.linalg.norm(x) > 0.1 and step < 50:
    x = x - 0.3 * x
    step += 1
found = "small" if x.max() < 0.1 else "large"
lists = [x[0] * i for i in range(3)]
y = np.array(lists) + np.asarray([x, x]).sum(axis=0)[0]
print(x, step, found, lists, y, x[0] in [1, 2], int(y[0] * 100), x.tolist(), isinstance(x, np.ndarray), y.item(1))
""",
    "editing": """
rng = np.random.default_rng()
a = rng.random((4, 5))
b = np.arange(4.0)
c = np.insert(a, 1, b, axis=1)
c2 = np.insert(b, [1, 3], 7.0)
d = np.extract(a > 0.5, a)
e = np.choose(np.array([0, 1, 1, 0]), [b, b * 2])
np.put(a, [0, 3], [1.0, 2.0])
np.place(a, a > 0.9, [0.1, 0.2])
np.putmask(a, a < 0.2, a + 1)
np.fill_diagonal(a, 3.0)
f = np.apply_along_axis(lambda x: x / x.sum(), 1, a), np.apply_along_axis(np.sum, 0, a)
g = np.cov(a), np.corrcoef(a.T), np.cov(a, rowvar=False)
h = np.vectorize(lambda x, y: x if x > y else y * 2)(a, 0.5)
print(c, c2, d, e, a, f, g, h, np.unravel_index(a.argmax(), a.shape))
""",
    "algebra": """
rng = np.random.default_rng()
a, b = rng.random((4, 5)), np.arange(4.0)
i = np.einsum("...ij,...jk->...ik", rng.random((3, 2, 4)), a)
j = np.einsum("...i,i", a.T, b)
w, v = np.linalg.eigh(a @ a.T)
s = np.linalg.svd(a, full_matrices=False)[1], np.linalg.eigh(a @ a.T).eigenvalues
m = np.random.choice(b, 3), np.random.poisson(3, 5), rng.choice(a, 2), np.random.normal(b, 1.0)
print(i, j, w, v, s, m, np.fft.fftshift(a), np.isin(m[1], [3, 4]), np.nanstd(a, axis=0))
""",
}
