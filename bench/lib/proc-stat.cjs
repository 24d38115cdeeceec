'use strict';

const { readFileSync, readdirSync } = require('node:fs');

/** Linux counts CPU time in ticks of 10 ms (USER_HZ). */
const TICK_US = 10_000;

const fieldsOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/** A process and all its descendants. */
function processTree(root) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(fieldsOf(name)[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

/** User and system time of these processes with all their threads, microseconds. */
function cpuMicros(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = fieldsOf(pid);
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}

/** A reader of the CPU time, in microseconds, that these processes and their descendants have used since now; without those that have ended or begun. */
function cpuSince(roots) {
  const read = () => new Map(roots.flatMap(processTree).map((pid) => [pid, cpuMicros([pid])]));
  const before = read();
  return () => [...read()].reduce((sum, [pid, micros]) => sum + micros - (before.get(pid) ?? micros), 0);
}

/** Resident memory of these processes, bytes. */
function residentBytes(pids) {
  let kilobytes = 0;
  for (const pid of pids)
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  return kilobytes * 1_024;
}

module.exports = { cpuMicros, cpuSince, processTree, residentBytes };
