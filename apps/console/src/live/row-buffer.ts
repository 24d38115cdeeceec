/** Fields of a row that the buffer uses. Ids are unique; `created_at` is ISO 8601 in UTC. */
export interface LiveRow {
  readonly id: string;
  readonly created_at: string;
}

const isNewer = (one: LiveRow, other: LiveRow): boolean =>
  one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;

/** The newest rows, each once, newest first. Rows may arrive late and twice. */
export class RowBuffer<R extends LiveRow> {
  private rows: readonly R[] = [];
  private readonly ids = new Set<string>();
  /** Ids of the newest rows that `clear` removed, at most `size`. */
  private cleared: ReadonlySet<string> = new Set();
  /** The oldest row of a full buffer that `clear` emptied: older rows had given way before, and are not added again. */
  private floor: R | null = null;
  /** Rows that gave way to newer ones. */
  dropped = 0;

  constructor(private readonly size: number) {}

  get all(): readonly R[] {
    return this.rows;
  }

  get newest(): R | null {
    return this.rows[0] ?? null;
  }

  /** Adds rows in any order. Returns how many were new. */
  add(rows: readonly R[]): number {
    const oldest = this.rows.length === this.size ? (this.rows.at(-1) ?? null) : this.floor;
    const fresh = new Map<string, R>();
    for (const row of rows)
      if (!this.isKnown(row) && (oldest === null || isNewer(row, oldest))) fresh.set(row.id, row);
    if (fresh.size === 0) return 0;
    const merged = [...fresh.values(), ...this.rows].sort((one, other) => (isNewer(one, other) ? -1 : 1));
    for (const { id } of fresh.values()) this.ids.add(id);
    for (const { id } of merged.slice(this.size)) this.ids.delete(id);
    this.dropped += Math.max(0, merged.length - this.size);
    this.rows = merged.slice(0, this.size);
    return fresh.size;
  }

  private isKnown({ id }: R): boolean {
    return this.ids.has(id) || this.cleared.has(id);
  }

  /** Removes all rows. They, and those that had given way to them, are not added again. */
  clear(): void {
    if (this.rows.length === this.size) this.floor = this.rows.at(-1) ?? null;
    const ids = [...this.rows.map(({ id }) => id), ...this.cleared];
    this.cleared = new Set(ids.slice(0, this.size));
    this.rows = [];
    this.ids.clear();
    this.dropped = 0;
  }
}
