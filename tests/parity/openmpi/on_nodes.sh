#!/usr/bin/env bash
# Runs a command on a machine that looks like several nodes: node0 runs it, and Open MPI's mpiexec starts processes on
# node1, node2, ..., each of which has a host name and network interfaces of its own (UTS and network namespaces).
# Nothing remains afterwards. Needs root, unshare and nsenter (util-linux), and ip (iproute2).
# Usage: on_nodes.sh NODES COMMAND [ARGUMENT...]
set -euo pipefail

if [ "$1" != --inside ]; then
    exec unshare --net --uts --mount --pid --fork --mount-proc "$0" --inside "$@"
fi
nodes=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mount --make-rprivate /
echo "127.0.0.1 localhost" > "$folder/hosts"
for ((node = 0; node < nodes; node++)); do
    echo "10.77.0.$((node + 1)) node$node" >> "$folder/hosts"
done
mount --bind "$folder/hosts" /etc/hosts

hostname node0
ip link set lo up
ip link add bridge0 type bridge
ip address add 10.77.0.1/24 dev bridge0
ip link set bridge0 up
for ((node = 1; node < nodes; node++)); do
    unshare --net --uts sleep infinity &
    process=$!
    until [ "$(readlink /proc/$process/exe)" = "$(readlink -f "$(command -v sleep)")" ]; do sleep 0.01; done
    nsenter --target $process --uts hostname "node$node"
    ip link add "veth$node" type veth peer name eth0 netns $process
    ip link set "veth$node" master bridge0 up
    nsenter --target $process --net ip link set lo up
    nsenter --target $process --net ip address add "10.77.0.$((node + 1))/24" dev eth0
    nsenter --target $process --net ip link set eth0 up
    echo $process > "$folder/node$node"
done

# The agent takes ssh's place: AGENT NODE COMMAND.
cat > "$folder/agent" <<AGENT
#!/usr/bin/env bash
node=\$1
shift
exec nsenter --target "\$(cat "$folder/\$node")" --net --uts sh -c "\$*"
AGENT
chmod +x "$folder/agent"
TMPDIR=$folder PRTE_MCA_plm_ssh_agent=$folder/agent "$@"
