/** Fields of a row that the buffer uses. Ids are unique; `created_at` is ISO 8601 in UTC. */
export interface LiveRow {
  readonly id: string;
  readonly created_at: string;
}

const isNewer = (one: LiveRow, other: LiveRow): boolean =>
  one.created_at === other.created_at ? one.id > other.id : one.created_at > other.created_at;

/**
 * Holds the newest rows without duplicates, newest first. Rows may arrive late and more than once.
 */
export class RowBuffer<R extends LiveRow> {
  private rows: readonly R[] = [];
  private readonly ids = new Set<string>();
  /** Ids of the newest rows that `clear` removed, at most `size`. */
  private cleared: ReadonlySet<string> = new Set();
  /**
   * Oldest row of the buffer if it was full when `clear` emptied it. The buffer had already dropped
   * older rows and does not add them again.
   */
  private floor: R | null = null;
  /** Number of rows that newer ones displaced. */
  dropped = 0;

  constructor(private readonly size: number) {}

  get all(): readonly R[] {
    return this.rows;
  }

  get newest(): R | null {
    return this.rows[0] ?? null;
  }

  /** Adds rows in any order. Returns the number of rows that were not in the buffer before. */
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

  /**
   * Removes all rows. `add` ignores them afterwards, and the older rows that they had displaced.
   */
  clear(): void {
    if (this.rows.length === this.size) this.floor = this.rows.at(-1) ?? null;
    const ids = [...this.rows.map(({ id }) => id), ...this.cleared];
    this.cleared = new Set(ids.slice(0, this.size));
    this.rows = [];
    this.ids.clear();
    this.dropped = 0;
  }
}
