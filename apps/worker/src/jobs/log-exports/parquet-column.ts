import type { ColumnSource } from 'hyparquet-writer';

export type ParquetType = NonNullable<ColumnSource['type']>;

/**
 * One column of the part at hand. Its values are kept outside the heap, in memory that is used again for the next part: as objects they would
 * outlive the young generation and wait, part after part, for a big collection.
 */
export interface ParquetColumn {
  /** Of the next row. Returns the bytes that the file takes for it, or nearly. */
  add(value: unknown): number;
  /** Of all rows since `clear`, as the encoder takes them. Made for each call: for one column at a time. */
  values(): unknown[];
  clear(): void;
}

/** Of types whose values a number tells: nothing else needs to be kept. */
const FROM_NUMBER: Partial<Record<ParquetType, (value: number) => unknown>> = {
  TIMESTAMP: (value) => new Date(value),
  BOOLEAN: (value) => value === 1,
  INT64: BigInt,
  INT32: (value) => value,
  DOUBLE: (value) => value,
};

export function parquetColumn(type: ParquetType): ParquetColumn {
  const fromNumber = FROM_NUMBER[type];
  return fromNumber === undefined ? new TextColumn() : new NumberColumn(fromNumber);
}

const FIRST_ROWS = 1_024;
const FIRST_BYTES = 16_384;
const NUMBER_BYTES = 8;
/** Before each text, in a file without a dictionary. */
const LENGTH_BYTES = 4;

class NumberColumn implements ParquetColumn {
  /** NaN: null, which no value is. */
  private numbers = new Float64Array(FIRST_ROWS);
  private rows = 0;

  constructor(private readonly fromNumber: (value: number) => unknown) {}

  add(value: unknown): number {
    if (this.rows === this.numbers.length) {
      const larger = new Float64Array(2 * this.rows);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.rows] = value === null || value === undefined ? NaN : Number(value);
    this.rows += 1;
    return NUMBER_BYTES;
  }

  values(): unknown[] {
    return Array.from(this.numbers.subarray(0, this.rows), (value): unknown =>
      Number.isNaN(value) ? null : this.fromNumber(value),
    );
  }

  clear(): void {
    this.rows = 0;
  }
}

class TextColumn implements ParquetColumn {
  private bytes = Buffer.allocUnsafe(FIRST_BYTES);
  private length = 0;
  /** Of each text, in bytes; below zero: null. */
  private lengths = new Int32Array(FIRST_ROWS);
  private rows = 0;

  add(value: unknown): number {
    if (this.rows === this.lengths.length) {
      const larger = new Int32Array(2 * this.rows);
      larger.set(this.lengths);
      this.lengths = larger;
    }
    const length = value === null || value === undefined ? -1 : this.append(textOf(value));
    this.lengths[this.rows] = length;
    this.rows += 1;
    return LENGTH_BYTES + Math.max(0, length);
  }

  values(): unknown[] {
    let end = 0;
    return Array.from(this.lengths.subarray(0, this.rows), (length) => {
      if (length < 0) return null;
      const start = end;
      end += length;
      return this.bytes.toString('utf8', start, end);
    });
  }

  clear(): void {
    this.rows = 0;
    this.length = 0;
  }

  private append(text: string): number {
    const length = Buffer.byteLength(text);
    const needed = this.length + length;
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.bytes.length));
      this.bytes.copy(larger, 0, 0, this.length);
      this.bytes = larger;
    }
    this.bytes.write(text, this.length);
    this.length = needed;
    return length;
  }
}

/** Bodies and metadata are JSON, or text, as texts: their shape is the caller's. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
