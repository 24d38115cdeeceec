import type { Journal } from '@gw/journal';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'holders.json';
const PROCESSES_MAX = 64;
const PROCESS = /^[\w-]{1,64}$/;

interface Content {
  readonly processes: readonly string[];
  /** Number of records that the journal had lost when the first of these processes began. */
  readonly lost: number;
}

/**
 * The names under which this process and earlier ones on the same journal hold leases. A successor
 * returns the leases of its predecessors, and knows when all their usage is in the durable record.
 */
export class HolderNames {
  readonly predecessors: readonly string[];
  /** Number of records that the journal has accepted from them. */
  private readonly taken: number;
  private readonly lostBefore: number;

  /**
   * `journal` is open, with everything that earlier processes left in it, and not yet used by this
   * one.
   */
  constructor(
    private readonly directory: string,
    private readonly journal: Pick<Journal, 'progress' | 'stats'>,
  ) {
    const known = read(join(directory, NAME));
    this.taken = journal.progress().taken;
    this.lostBefore = known?.lost ?? lostOf(journal);
    this.predecessors = known?.processes ?? [];
  }

  /** Stores the name of this process before it holds anything. Throws errors of the file system. */
  add(process: string): void {
    const processes = [...this.predecessors, process].slice(-PROCESSES_MAX);
    this.write({ processes, lost: this.lostBefore });
  }

  /**
   * Whether every record that earlier processes left in the journal is in the durable record, or
   * lost.
   */
  hasArrived(): boolean {
    return this.journal.progress().arrived >= this.taken;
  }

  /**
   * Whether all usage of earlier processes is in the durable record; false forever once a record of
   * the journal was lost.
   */
  isAdopted(): boolean {
    return this.hasArrived() && lostOf(this.journal) === this.lostBefore;
  }

  /**
   * Removes all names but this one, because the counters know that the others have ended. Throws
   * errors of the file system.
   */
  forgetOthers(process: string): void {
    this.write({ processes: [process], lost: lostOf(this.journal) });
  }

  private write(content: Content): void {
    const path = join(this.directory, NAME);
    writeFileSync(`${path}.new`, JSON.stringify(content), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  }
}

const lostOf = (journal: Pick<Journal, 'stats'>): number => {
  const { droppedAtCap, droppedByDisk, droppedOversized, damagedRecords } = journal.stats();
  return droppedAtCap + droppedByDisk + droppedOversized + damagedRecords;
};

/** Returns the stored names; null: there is no readable file. */
function read(path: string): Content | null {
  try {
    const { processes, lost } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Content>;
    if (!Array.isArray(processes) || !Number.isSafeInteger(lost)) return null;
    const named = processes.filter((name): name is string => typeof name === 'string' && PROCESS.test(name));
    return { processes: named, lost: Number(lost) };
  } catch {
    return null;
  }
}
