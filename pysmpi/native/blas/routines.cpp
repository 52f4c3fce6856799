// The tables are from the reference documentation of BLAS and LAPACK (netlib.org).
#include "blas/routines.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace pysmpi::blas {

namespace {

using std::string_view;

// Families of BLAS and LAPACK routines with the same first arguments. `names` are the routines' names without the
// letter of the precision, such as "gemm" for sgemm and dgemm. CBLAS functions have the same arguments in the same
// order; those on matrices begin with one more argument, the order of the elements (by rows or by columns).
struct Family {
  string_view names, arguments;
};
constexpr Family kVectors[] = {
    {"dot dotu dotc nrm2 asum amax amin axpy axpby copy swap scal rot rotm", "n"},
    {"cnrm2 znrm2 casum zasum sscal dscal srot drot sdot dsdot",
     "n"},  // without the first of two letters, as in scnrm2
};
constexpr Family kMatrices[] = {
    {"gemv gbmv", "trans m n"},
    {"ger geru gerc", "m n"},
    {"trmv trsv tpmv tpsv tbmv tbsv", "uplo trans diag n"},
    {"symv hemv syr her spmv hpmv spr hpr syr2 her2 spr2 hpr2 sbmv hbmv", "uplo n"},
    {"gemm gemm3m", "transa transb m n k"},
    {"gemmt gemmtr", "uplo transa transb n k"},
    {"symm hemm", "side uplo m n"},
    {"trmm trsm", "side uplo transa diag m n"},
    {"syrk herk syr2k her2k", "uplo trans n k"},
};
constexpr Family kLapack[] = {
    {"getrf getf2 geqrf gelqf geqp3 gebrd", "m n"},
    {"gesdd", "job m n"},
    {"gesvd", "job job m n"},
    {"getri gehrd", "n"},
    {"potrf potf2 potri lauum sytrf hetrf", "uplo n"},
    {"trtri", "uplo diag n"},
    {"laswp", "n a lda k1 k2"},
    {"gesv", "n nrhs"},
    {"getrs", "trans n nrhs"},
    {"potrs posv sysv hesv sytrs hetrs", "uplo n nrhs"},
    {"trtrs", "uplo trans diag n nrhs"},
    {"gels", "trans m n nrhs"},
    {"gelsd gelss gelsy", "m n nrhs"},
    {"orgqr ungqr", "m n k"},
    {"ormqr unmqr", "side trans m n k"},
    {"syev heev syevd heevd", "job uplo n"},
    {"syevr heevr", "job range uplo n"},
    {"geev", "job job n"},
    {"gees", "job sort select n"},
};

// Families of LAPACK, each with the position of the argument lwork (size of the workspace) if it has one; a second
// position is that in routines for complex numbers. Auxiliary routines, whose names begin with la, are left out: they
// belong to the code around them.
constexpr string_view kFamiliesOfLapack = R"(
bbcsd:27 bdsdc bdsqr cgesv cposv disna gbbrd gbcon gbequ gbequb gbrfs gbsv gbsvx gbtf2 gbtrf gbtrs gebak gebal gebd2
gebrd:9 gecon geequ geequb gees:12/11 geesx:15/14 geev:12/11 geevx:20/19 gehd2 gehrd:7 gejsv:16 gelq2 gelqf:6 gels:9
gelsd:11 gelss:11 gelsy:11 gemqrt geql2 geqlf:6 geqp3:7 geqr2 geqr2p geqrf:6 geqrfp:6 geqrt geqrt2 geqrt3 gerfs gerq2
gerqf:6 gesc2 gesdd:11 gesv gesvd:12 gesvdx:18 gesvj:12 gesvx getc2 getf2 getrf getrf2 getri:5 getrs ggbak ggbal
gges:18/17 gges3:18/17 ggesx:21/20 ggev:15/14 ggev3:15/14 ggevx:25/24 ggglm:11 gghd3:14 gghrd gglse:11 ggqrf:10
ggrqf:10 gsvj0:15 gsvj1:16 gtcon gtrfs gtsv gtsvx gttrf gttrs gtts2 hbev hbevd:10 hbevx hbgst hbgv hbgvd:13 hbgvx hbtrd
hecon heequb heev:7 heevd:7 heevr:17 heevx:16 hegs2 hegst hegv:10 hegvd:10 hegvx:19 herfs hesv:9 hesvx:17 heswapr hetd2
hetf2 hetrd:8 hetrf:6 hetrf_aa:6 hetrf_rook:6 hetri hetri2:6 hetri2x hetrs hetrs2 hetrs_rook hfrk hgeqz:18/17 hpcon hpev
hpevd:8 hpevx hpgst hpgv hpgvd:10 hpgvx hprfs hpsv hpsvx hptrd hptrf hptri hptrs hsein hseqr:12/11 laswp lauum opgtr
opmtr orbdb:20 orcsd:27 org2l org2r orgbr:8 orghr:7 orgl2 orglq:7 orgql:7 orgqr:7 orgr2 orgrq:7 orgtr:6 orm2l orm2r
ormbr:12 ormhr:12 orml2 ormlq:11 ormql:11 ormqr:11 ormr2 ormr3 ormrq:11 ormrz:12 ormtr:11 pbcon pbequ pbrfs pbstf pbsv
pbsvx pbtf2 pbtrf pbtrs pftrf pftri pftrs pocon poequ poequb porfs posv posvx potf2 potrf potrf2 potri potrs ppcon ppequ
pprfs ppsv ppsvx pptrf pptri pptrs pstf2 pstrf ptcon pteqr ptrfs ptsv ptsvx pttrf pttrs ptts2 rscl sbev sbevd:10 sbevx
sbgst sbgv sbgvd:13 sbgvx sbtrd sfrk sgesv spcon spev spevd:8 spevx spgst spgv spgvd:10 spgvx sposv sprfs spsv spsvx
sptrd sptrf sptri sptrs stebz stedc:7 stegr:16 stein stemr:17 steqr sterf stev stevd:7 stevr:16 stevx sycon syconv
syequb syev:7 syevd:7 syevr:17 syevx:16 sygs2 sygst sygv:10 sygvd:10 sygvx:19 syrfs sysv:9 sysvx:17 syswapr sytd2 sytf2
sytrd:8 sytrf:6 sytrf_aa:6 sytrf_rook:6 sytri sytri2:6 sytri2x sytrs sytrs2 sytrs_rook tbcon tbrfs tbtrs tfsm tftri
tfttp tfttr tgevc tgex2 tgexc:14/-1 tgsen:21/20 tgsja tgsna:17 tgsy2 tgsyl:19 tpcon tpmqrt tpqrt tpqrt2 tprfb tprfs
tptri tptrs tpttf tpttr trcon trevc trevc3:13/13 trexc trrfs trsen:14/13 trsna trsyl trsyl3 trti2 trtri trtrs trttf trttp
tzrzf:6 unbdb:20 uncsd:27 ung2l ung2r ungbr:8 unghr:7 ungl2 unglq:7 ungql:7 ungqr:7 ungr2 ungrq:7 ungtr:6 unm2l unm2r
unmbr:12 unmhr:12 unml2 unmlq:11 unmql:11 unmqr:11 unmr2 unmr3 unmrq:11 unmrz:12 unmtr:11 upgtr upmtr
)";

template <class Use>
void each_word(string_view text, Use use) {
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \n");
    if (begin == string_view::npos) return;
    text.remove_prefix(begin);
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    use(text.substr(0, end));
    text.remove_prefix(end);
  }
}

struct Description {
  string_view arguments;
  bool has_order = false;  // CBLAS functions have the order of elements as first argument
  std::int8_t memory = -1, memory_of_complex = -1;
};

using Descriptions = std::unordered_map<string_view, Description>;  // key: name of the family

std::int8_t parsed(string_view digits) {
  int value = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return static_cast<std::int8_t>(value);
}

const Descriptions& descriptions() {
  static const Descriptions all = [] {
    Descriptions found;
    each_word(kFamiliesOfLapack, [&](string_view word) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      Description& family = found[word.substr(0, colon)];
      if (colon == word.size()) return;
      const string_view places = word.substr(colon + 1);
      const std::size_t slash = places.find('/');
      family.memory = parsed(places.substr(0, slash));
      family.memory_of_complex = slash == string_view::npos ? family.memory : parsed(places.substr(slash + 1));
    });
    const auto add = [&](const auto& families, bool has_order) {
      for (const Family& each : families) {
        each_word(each.names, [&](string_view name) {
          found[name].arguments = each.arguments;
          found[name].has_order = has_order;
        });
      }
    };
    add(kVectors, false);
    add(kMatrices, true);
    add(kLapack, false);
    return found;
  }();
  return all;
}

bool consume_prefix(string_view& text, string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool consume_suffix(string_view& text, string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

bool is_precision(char letter) { return string_view("sdcz").find(letter) != string_view::npos; }

// Return the family of a routine: "gemm" of dgemm, "amax" of idamax.
string_view family_of(string_view routine) { return routine.substr(routine.starts_with('i') ? 2 : 1); }

char precision_of(string_view routine) { return routine[routine.starts_with('i') ? 1 : 0]; }

bool is_routine(string_view name) {
  if (name.size() < 4 || !is_precision(precision_of(name))) return false;
  const string_view family = family_of(name);
  return descriptions().contains(family) && name.starts_with('i') == (family == "amax" || family == "amin");
}

}  // namespace

std::optional<FunctionName> function_named(const char* symbol) {
  string_view text = symbol;
  FunctionName found;
  const bool is_private = consume_prefix(text, "scipy_");  // prefix in the libraries of NumPy's and SciPy's wheels
  found.by_value = consume_prefix(text, "cblas_");
  found.is_wide = consume_suffix(text, "_64_") || consume_suffix(text, "64_") || consume_suffix(text, "_64");
  if (!found.is_wide && !consume_suffix(text, "_") && !found.by_value && !is_private) return std::nullopt;
  if (found.by_value) consume_suffix(text, "_sub");
  if (!is_routine(text)) return std::nullopt;
  found.routine = text;
  return found;
}

Signature::Signature(const FunctionName& name) : by_value_(name.by_value), is_wide_(name.is_wide) {
  at_.fill(-1);
  const Description& family = descriptions().at(family_of(name.routine));
  const char precision = precision_of(name.routine);
  at_[kMemory] = precision == 'c' || precision == 'z' ? family.memory_of_complex : family.memory;
  std::int8_t place = name.by_value && family.has_order ? 1 : 0;
  each_word(family.arguments, [&](string_view argument) {
    static const std::unordered_map<string_view, Place> kNames = {
        {"m", kM},      {"n", kN},    {"k", kK}, {"nrhs", kRightSides}, {"side", kSide}, {"trans", kTransposed},
        {"k1", kFirst}, {"k2", kLast}};
    if (const auto found = kNames.find(argument); found != kNames.end()) at_[found->second] = place;
    if (argument == "job") at_[at_[kJob] < 0 ? kJob : kSecondJob] = place;
    ++place;
  });
}

std::int64_t Signature::number(const Arguments& arguments, Place place) const {
  if (at_[place] < 0) return 0;
  const std::uint64_t word = arguments.word(static_cast<std::size_t>(at_[place]));
  if (by_value_) return is_wide_ ? static_cast<std::int64_t>(word) : static_cast<std::int32_t>(word);
  return is_wide_ ? *reinterpret_cast<const std::int64_t*>(word) : *reinterpret_cast<const std::int32_t*>(word);
}

bool Signature::is_transposed_by_value(const Arguments& arguments) const {
  constexpr std::int32_t kNotTransposed = 111;  // CblasNoTrans
  return by_value_ && at_[kTransposed] >= 0 &&
         static_cast<std::int32_t>(arguments.word(static_cast<std::size_t>(at_[kTransposed]))) != kNotTransposed;
}

char Signature::letter(const Arguments& arguments, Place place) const {
  if (at_[place] < 0) return '\0';
  const std::uint64_t word = arguments.word(static_cast<std::size_t>(at_[place]));
  if (by_value_) return static_cast<std::uint32_t>(word) == 141 ? 'L' : 'R';  // CblasLeft, CblasRight
  return static_cast<char>(*reinterpret_cast<const char*>(word) & ~0x20);     // converted to upper case
}

bool Signature::asks_for_memory(const Arguments& arguments) const { return number(arguments, kMemory) == -1; }

bool Signature::lacks_vectors(const Arguments& arguments) const {
  const char second = letter(arguments, kSecondJob);
  return letter(arguments, kJob) == 'N' && (second == 'N' || second == '\0');
}

Sizes Signature::sizes(const Arguments& arguments) const {
  Sizes found{number(arguments, kM), number(arguments, kN), number(arguments, kK), number(arguments, kRightSides)};
  if (at_[kSide] >= 0 && at_[kK] < 0) found.k = letter(arguments, kSide) == 'L' ? found.m : found.n;
  if (at_[kM] >= 0 && is_transposed_by_value(arguments)) std::swap(found.m, found.n);
  if (at_[kLast] >= 0) found.k = number(arguments, kLast) - number(arguments, kFirst) + 1;
  return found;
}

}  // namespace pysmpi::blas
