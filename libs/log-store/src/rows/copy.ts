import { storableJson, storableText } from '@gw/kernel';
import type { ClientBase } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { QueryFailedError, type QueryRunner } from 'typeorm';

export interface CopyTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** Names of the columns of type `json` or `jsonb`; absent for none. */
  readonly json?: ReadonlySet<string>;
}

/** Length of text, in characters, after which a chunk is sent. */
const CHUNK_LENGTH = 65_536;

/**
 * Inserts rows into a table with `COPY`, in the transaction of the runner. The values of a row are
 * in the order of the columns: strings, numbers, booleans, buffers for `bytea`, any value for JSON;
 * null and undefined become NULL. Rejects with `QueryFailedError`, like a query.
 */
export async function copyRows(
  runner: QueryRunner,
  { table, columns, json }: CopyTarget,
  rows: Iterable<readonly unknown[]>,
): Promise<void> {
  const statement = `COPY ${table} (${columns.join(', ')}) FROM STDIN`;
  const isJson = columns.map((name) => json?.has(name) === true);
  const client = (await runner.connect()) as ClientBase;
  try {
    await pipeline(Readable.from(chunksOf(rows, isJson)), client.query(copyFrom(statement)));
  } catch (error) {
    throw error instanceof Error ? new QueryFailedError(statement, [], error) : error;
  }
}

function* chunksOf(rows: Iterable<readonly unknown[]>, isJson: readonly boolean[]): Generator<Buffer> {
  let text = '';
  for (const row of rows) {
    for (let at = 0; at < row.length; at += 1) {
      if (at > 0) text += '\t';
      text += fieldOf(row[at], isJson[at] === true);
    }
    text += '\n';
    if (text.length < CHUNK_LENGTH) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

function fieldOf(value: unknown, isJson: boolean): string {
  if (value === null || value === undefined) return '\\N';
  if (isJson) return escaped(storableJson(value));
  if (typeof value === 'string') return escaped(value);
  if (Buffer.isBuffer(value)) return `\\\\x${value.toString('hex')}`;
  return escaped(storableJson(value));
}

/**
 * Characters that the text format of `COPY` escapes, and NUL, which becomes storable here;
 * `Buffer.from` does the same to half of a surrogate pair.
 */
const SPECIAL = /[\0\\\t\n\r]/;
const SPECIALS = /[\0\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\0': storableText('\0'),
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

const escaped = (text: string): string =>
  SPECIAL.test(text) ? text.replace(SPECIALS, (special) => ESCAPES[special] ?? special) : text;
