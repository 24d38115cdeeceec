import cluster from 'node:cluster';

// Loaded into every child before its own code. A killed launcher cannot stop its children, and they
// would hold the ports that the next start needs. So each child stops itself when the channel to
// its launcher closes.
const GRACE_MS = 5_000;

// The channel of a cluster worker goes to its primary and closes in normal operation.
if (process.channel && cluster.isPrimary) {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
  });
  process.channel.unref();
}
