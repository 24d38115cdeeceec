import { readdirSync } from 'node:fs';
import { LogShipper, type Journal, type LogSink } from '@gw/journal';
import { describeFault } from '@gw/web';
import {
  journalDirectory,
  openJournalHome,
  slotsIn,
  type JournalHome,
  type JournalHomeOptions,
} from './journal-home';
import { isSetAside } from './unreadable-entries';

export interface OrphanedJournalsOptions extends JournalHomeOptions {
  readonly ownSlot: number;
  readonly sink: LogSink;
  /** Appends records of the requests that the stopped process left in flight. */
  readonly recover: (directory: string, journal: Journal) => void;
}

/**
 * Milliseconds before the first scan, so that processes that start at the same time get their own
 * journals first.
 */
const FIRST_MS = 2_000;
const EVERY_MS = 15_000;
const LOOK_MS = 200;
/** Files that remain in a folder after all records are shipped. */
const IDLE_FILES = new Set(['owner.lock', 'state.json', 'spare.log', 'holders.json']);

/**
 * Ships the journals that stopped processes left: of gateways that no longer run, or run elsewhere
 * now. The folder of a running process is never touched. One journal is shipped at a time.
 */
export class OrphanedJournals {
  private timer: NodeJS.Timeout | null = null;
  private adopted: { readonly home: JournalHome; readonly shipper: LogShipper } | null = null;
  private readonly sealed = new Set<number>();
  /** The slot that was looked at last. */
  private lastSlot = -1;
  private stopping = false;

  constructor(private readonly options: OrphanedJournalsOptions) {}

  /** Number of journals that cannot be opened, because they are sealed with another key. */
  get sealedCount(): number {
    return this.sealed.size;
  }

  start(): void {
    this.lookAfter(FIRST_MS);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    if (this.timer) clearTimeout(this.timer);
    await this.adopted?.shipper.stop(0);
    this.leave();
  }

  private lookAfter(ms: number): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => {
      try {
        this.look();
      } catch (error) {
        this.options.log.warn(describeFault(error), 'failed to scan journals of stopped gateways');
      }
      this.lookAfter(this.adopted === null ? EVERY_MS : LOOK_MS);
    }, ms).unref();
  }

  /**
   * One step: adopts a journal with records to ship, or releases the adopted one when all its
   * records are shipped. Throws errors of the file system; the next step tries again.
   */
  look(): void {
    if (this.adopted === null) {
      this.adopt();
      return;
    }
    if (this.adopted.home.journal.hasBacklog()) return;
    void this.adopted.shipper.stop(0);
    this.leave();
  }

  private adopt(): void {
    const { root, ownSlot, sink, recover, log } = this.options;
    for (const slot of this.slotsInTurn(root)) {
      this.lastSlot = slot;
      if (slot === ownSlot || !holdsRecords(journalDirectory(root, slot))) continue;
      const home = openJournalHome(this.options, slot);
      if (home === 'sealed') this.sealed.add(slot);
      else this.sealed.delete(slot);
      if (home === null || home === 'sealed') continue;
      log.info({ slot }, 'shipping the journal of a stopped gateway');
      try {
        recover(home.directory, home.journal);
      } catch (error) {
        // Frees the folder, so that the next scan, or another gateway, can adopt it.
        home.journal.close();
        home.release();
        throw error;
      }
      const shipper = new LogShipper(home.journal, sink);
      shipper.start();
      this.adopted = { home, shipper };
      return;
    }
  }

  /**
   * Returns all slots, beginning after the last one, so that a folder that cannot be adopted, or
   * holds a file that is never shipped, does not keep the others waiting.
   */
  private slotsInTurn(root: string): readonly number[] {
    const slots = slotsIn(root);
    for (const slot of this.sealed) if (!slots.includes(slot)) this.sealed.delete(slot);
    const next = slots.findIndex((slot) => slot > this.lastSlot);
    return next === -1 ? slots : [...slots.slice(next), ...slots.slice(0, next)];
  }

  private leave(): void {
    this.adopted?.home.journal.close();
    this.adopted?.home.release();
    this.adopted = null;
  }
}

const holdsRecords = (directory: string): boolean =>
  readdirSync(directory).some((name) => !IDLE_FILES.has(name) && !isSetAside(name));
