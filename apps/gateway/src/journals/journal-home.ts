import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Journal, UnknownKeyError, type JournalOptions, FolderLock } from '@gw/journal';
import type { Log } from '@gw/web';
import { setUnreadableAside } from './unreadable-entries';

/** Gateways that may share one data folder at a time. */
const SLOTS_MAX = 1_024;

export interface JournalHomeOptions {
  /** Folder with the folders `journal-<slot>` of all gateways that share it. */
  readonly root: string;
  /** The slot to use if it is free, so that a restarted process gets its own journal back. */
  readonly preferredSlot: number;
  readonly journal: Omit<JournalOptions, 'directory'>;
  readonly log: Log;
}

/** A journal and its folder, which belong to this process alone until `release`. */
export interface JournalHome {
  readonly slot: number;
  readonly directory: string;
  readonly journal: Journal;
  /** Names of unreadable entries that were set aside, now or at an earlier start. */
  readonly unreadable: readonly string[];
  /** Unlocks the folder; call it after the journal is closed. */
  release(): void;
}

export const journalDirectory = (root: string, slot: number): string => join(root, `journal-${String(slot)}`);

/** Returns the slots that have a folder. */
export const slotsIn = (root: string): number[] =>
  readdirSync(root)
    .map((name) => Number(/^journal-(\d+)$/.exec(name)?.[1] ?? NaN))
    .filter((slot) => !Number.isNaN(slot))
    .sort((a, b) => a - b);

/**
 * Locks the first slot that no running process has and whose journal opens. Throws if there is
 * none.
 */
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
    `${root} holds the journals of ${String(SLOTS_MAX)} running gateways; set another DATA_DIR for this one.`,
  );
}

/**
 * Opens a slot. Null: another process has it. `sealed`: it holds records sealed with a key that
 * this process does not have, and is left unchanged.
 */
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
      'found log records sealed with another ENCRYPTION_KEY; keeping them',
    );
    return 'sealed';
  }
}
