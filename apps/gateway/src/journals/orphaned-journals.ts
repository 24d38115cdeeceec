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
  /** Makes records of what the dead process had begun. */
  readonly recover: (directory: string, journal: Journal) => void;
}

/** A process that starts next to others leaves them time to take their own journals first. */
const FIRST_MS = 2_000;
const EVERY_MS = 15_000;
const LOOK_MS = 200;
/** What a folder of a process that has shipped all holds as well. */
const IDLE_FILES = new Set(['owner.lock', 'state.json', 'spare.log', 'holders.json']);

/**
 * Ships what the journals of dead processes still hold: of gateways that are no longer started, or were started elsewhere. The
 * folder of a living process is never touched. One journal at a time.
 */
export class OrphanedJournals {
  private timer: NodeJS.Timeout | null = null;
  private adopted: { readonly home: JournalHome; readonly shipper: LogShipper } | null = null;
  private readonly sealed = new Set<number>();
  private stopping = false;

  constructor(private readonly options: OrphanedJournalsOptions) {}

  /** Journals that can't be opened, since another key has sealed them. */
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

  /** One step: adopts a journal that has something to ship, or leaves the adopted one once it has nothing more. */
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
    for (const slot of slotsIn(root)) {
      if (slot === ownSlot || !holdsRecords(journalDirectory(root, slot))) continue;
      const home = openJournalHome(this.options, slot);
      if (home === 'sealed') this.sealed.add(slot);
      else this.sealed.delete(slot);
      if (home === null || home === 'sealed') continue;
      log.info({ slot }, 'shipping the journal of a stopped gateway');
      recover(home.directory, home.journal);
      const shipper = new LogShipper(home.journal, sink);
      shipper.start();
      this.adopted = { home, shipper };
      return;
    }
  }

  private leave(): void {
    this.adopted?.home.journal.close();
    this.adopted?.home.release();
    this.adopted = null;
  }
}

const holdsRecords = (directory: string): boolean =>
  readdirSync(directory).some((name) => !IDLE_FILES.has(name) && !isSetAside(name));
