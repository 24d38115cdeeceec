import cluster from 'node:cluster';

// Loaded into every child before its own code. A launcher that was killed cannot end its children, and they would hold the ports
// that the next start needs; so each child ends itself when the channel to its launcher closes.
const GRACE_MS = 5_000;

// A cluster worker has a channel to its own primary, which closes in the ordinary course of things.
if (process.channel && cluster.isPrimary) {
  process.once('disconnect', () => {
    process.kill(process.pid, 'SIGTERM');
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), GRACE_MS).unref();
  });
  process.channel.unref();
}
