/** An entry of the timer wheel. The wheel owns the links; an entry is in it at most once. */
export abstract class WheelEntry {
  /** @internal */ wheelPrevious: WheelEntry | null = null;
  /** @internal */ wheelNext: WheelEntry | null = null;
  /** The earliest time of `onDue`, by the wheel's clock. Infinity while not in the wheel. */
  dueAt = Infinity;

  /**
   * Called once, up to two ticks after `dueAt`. The entry has left the wheel and may be scheduled
   * again.
   */
  abstract onDue(now: number): void;
}

class SlotHead extends WheelEntry {
  constructor() {
    super();
    this.wheelPrevious = this;
    this.wheelNext = this;
  }

  override onDue(): void {
    // A head marks the ring of its slot and is never due.
  }
}

const TICK_MS = 10;
const SLOTS = 512;

/**
 * One timer for all deadlines. Scheduling and cancelling cost a few pointer writes; a Node.js timer
 * costs a microsecond. A deadline beyond one turn (about 5 s) is checked once per turn. The timer
 * runs only while the wheel has entries, and stops one tick after the last one has left.
 */
export class TimerWheel {
  /** Milliseconds at the last tick. */
  now = 0;
  private readonly slots = Array.from({ length: SLOTS }, () => new SlotHead());
  private cursor = 0;
  private cursorAt = 0;
  private size = 0;
  private timer: NodeJS.Timeout | null = null;
  private lateOnce = false;

  get running(): boolean {
    return this.timer !== null;
  }

  /** Returns the time of the last tick, or the exact time while the wheel is stopped. */
  coarseNow(): number {
    return this.timer === null ? performance.now() : this.now;
  }

  get entries(): number {
    return this.size;
  }

  /** Schedules `entry` for `at`, replacing its earlier time. */
  schedule(entry: WheelEntry, at: number): void {
    this.cancel(entry);
    if (this.timer === null) this.start();
    const ticks = Math.ceil((at - this.cursorAt) / TICK_MS);
    const distance = Math.min(Math.max(ticks, 1), SLOTS - 1);
    const head = this.slots[(this.cursor + distance) % SLOTS] as SlotHead;
    const last = head.wheelPrevious as WheelEntry;
    entry.wheelPrevious = last;
    entry.wheelNext = head;
    last.wheelNext = entry;
    head.wheelPrevious = entry;
    entry.dueAt = at;
    this.size += 1;
  }

  cancel(entry: WheelEntry): void {
    const { wheelPrevious: previous, wheelNext: next } = entry;
    if (previous === null || next === null) return;
    previous.wheelNext = next;
    next.wheelPrevious = previous;
    entry.wheelPrevious = null;
    entry.wheelNext = null;
    entry.dueAt = Infinity;
    this.size -= 1;
  }

  private start(): void {
    this.now = performance.now();
    this.cursorAt = this.now;
    this.lateOnce = false;
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  private tick(): void {
    if (this.size === 0) {
      if (this.timer !== null) clearInterval(this.timer);
      this.timer = null;
      return;
    }
    this.now = performance.now();
    const due = Math.floor((this.now - this.cursorAt) / TICK_MS);
    // After a blocked event loop, let sockets be read before deadlines are checked, because the
    // bytes may have arrived in time.
    if (due > 5 && !this.lateOnce) {
      this.lateOnce = true;
      return;
    }
    this.lateOnce = false;
    const turns = Math.min(due, SLOTS);
    const first = this.cursor;
    this.cursor = (this.cursor + due) % SLOTS;
    this.cursorAt += due * TICK_MS;
    for (let step = 1; step <= turns; step += 1) this.empty(this.slots[(first + step) % SLOTS] as SlotHead);
  }

  private empty(head: SlotHead): void {
    // Bounded by the current number of entries, because an entry may be scheduled into this slot
    // again.
    for (let left = this.size; left > 0; left -= 1) {
      const entry = head.wheelNext as WheelEntry;
      if (entry === head) return;
      const at = entry.dueAt;
      this.cancel(entry);
      if (at > this.now) this.schedule(entry, at);
      else entry.onDue(this.now);
    }
  }
}
