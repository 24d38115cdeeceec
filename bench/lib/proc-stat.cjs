'use strict';

const { readFileSync, readdirSync } = require('node:fs');

/** Linux counts CPU time in ticks of 10 ms (USER_HZ). */
const TICK_US = 10_000;

/** @param {number | string} pid */
const fieldsOf = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
};

/**
 * Returns the ids of a process and all its descendants.
 * @param {number} root
 */
function processTree(root) {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(fieldsOf(name)[1]));
    } catch {
      // The process has ended.
    }
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

/**
 * Returns the user and system time of processes with all their threads, in microseconds.
 * @param {readonly number[]} pids
 */
function cpuMicros(pids) {
  let ticks = 0;
  for (const pid of pids) {
    const fields = fieldsOf(pid);
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_US;
}

/**
 * Returns a function that returns the CPU time, in microseconds, that processes and their descendants have used since this call.
 * Processes that start or end in between are not counted.
 * @param {readonly number[]} roots
 */
function cpuSince(roots) {
  const read = () =>
    new Map(roots.flatMap(processTree).map((pid) => /** @type {const} */ ([pid, cpuMicros([pid])])));
  const before = read();
  return () => [...read()].reduce((sum, [pid, micros]) => sum + micros - (before.get(pid) ?? micros), 0);
}

/**
 * Returns the resident memory of processes, in bytes.
 * @param {readonly number[]} pids
 */
function residentBytes(pids) {
  let kilobytes = 0;
  for (const pid of pids)
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0);
  return kilobytes * 1_024;
}

module.exports = { cpuMicros, cpuSince, processTree, residentBytes };
