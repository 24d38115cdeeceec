/** A member of the wheel. The links belong to the wheel; an entry is in it at most once. */
export abstract class WheelEntry {
  /** @internal */ wheelPrevious: WheelEntry | null = null;
  /** @internal */ wheelNext: WheelEntry | null = null;
  /** When `onDue` is called at the earliest, by the wheel's clock; Infinity while not in the wheel. */
  dueAt = Infinity;

  /** Called once, up to two ticks after the time asked for; the entry has left the wheel and may come back. */
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
 * One timer for all deadlines: entering and leaving cost a few pointer writes, where a Node timer each costs a
 * microsecond. Deadlines beyond one turn (about 5 s) are looked at once per turn. The timer runs only while the wheel
 * holds an entry, and stops one tick after the last has left.
 */
export class TimerWheel {
  /** Milliseconds, as of the last tick. */
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

  /** The time of the last tick, or the true time while the wheel is stopped. */
  coarseNow(): number {
    return this.timer === null ? performance.now() : this.now;
  }

  get entries(): number {
    return this.size;
  }

  /** Arms `entry` for `at`, in place of an earlier time. */
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
    // After a blocked event loop the sockets are read before deadlines are judged: the bytes may be there already.
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
    // Bounded by the entries there are now: one that comes back at once may land in this slot again.
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
