import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal, UnknownKeyError, type JournalOptions, FolderLock } from '@gw/journal';
import type { Log } from '@gw/web';
import { setUnreadableAside } from './unreadable-entries';

/** Gateways that may share one data folder at a time. */
const SLOTS_MAX = 1_024;

export interface JournalHomeOptions {
  /** Holds the folders `journal-<slot>` of all gateways that share it. */
  readonly root: string;
  /** The slot that is taken if it is free; a restarted process finds its own again. */
  readonly preferredSlot: number;
  readonly journal: Omit<JournalOptions, 'directory'>;
  readonly log: Log;
}

/** A journal and its folder, which belong to this process alone until `release`. */
export interface JournalHome {
  readonly slot: number;
  readonly directory: string;
  readonly journal: Journal;
  /** Names of entries that could not be read and were set aside, now or at an earlier start. */
  readonly unreadable: readonly string[];
  /** After the journal is closed. */
  release(): void;
}

export const journalDirectory = (root: string, slot: number): string => join(root, `journal-${String(slot)}`);

/** The slots that have a folder. */
export const slotsIn = (root: string): number[] =>
  readdirSync(root)
    .map((name) => Number(/^journal-(\d+)$/.exec(name)?.[1] ?? NaN))
    .filter((slot) => !Number.isNaN(slot))
    .sort((a, b) => a - b);

/** Takes the first slot that no living process has and whose journal opens. Throws when there is none. */
export function takeJournalHome(options: JournalHomeOptions): JournalHome {
  const { root, preferredSlot, log } = options;
  for (let next = -1; next < SLOTS_MAX; next += 1) {
    if (next === preferredSlot) continue;
    const slot = next === -1 ? preferredSlot : next;
    const home = openJournalHome(options, slot);
    if (home === null || home === 'sealed') continue;
    if (slot !== preferredSlot) log.info({ slot }, 'journal slot is taken by another gateway');
    return home;
  }
  throw new Error(
    `${root} holds the journals of ${String(SLOTS_MAX)} gateways that run; give this one another DATA_DIR.`,
  );
}

/** Null: another process has it. `sealed`: what it holds was sealed by a key that this process does not have; it is left as it is. */
export function openJournalHome(
  { root, journal: options, log }: JournalHomeOptions,
  slot: number,
): JournalHome | null | 'sealed' {
  const directory = journalDirectory(root, slot);
  const lock = FolderLock.take(directory);
  if (lock === null) return null;
  try {
    const unreadable = setUnreadableAside(directory);
    if (unreadable.length > 0)
      log.error({ directory, unreadable }, 'moved unreadable entries out of a journal folder');
    const journal = Journal.open({ ...options, directory });
    return { slot, directory, journal, unreadable, release: () => lock.release() };
  } catch (error) {
    lock.release();
    if (!(error instanceof UnknownKeyError)) throw error;
    log.error(
      { directory, reason: error.message },
      'log records are kept that another ENCRYPTION_KEY has sealed',
    );
    return 'sealed';
  }
}
