import { newRow, INPUT, ROWS_MAX, type TestRow } from './test-set';

/** Maximum bytes of a file, or characters of a pasted text. */
export const CSV_MAX = 1_000_000;
const FIELDS_MAX = 50;
const NAME = /^[A-Za-z_][\w.-]{0,63}$/;
/** Column with the text that a response must contain. */
export const EXPECTED = 'expected';

/** Why a text cannot be read, and where. */
export interface CsvFault {
  readonly fault: 'empty' | 'size' | 'rows' | 'quote' | 'fields' | 'name' | 'twice' | 'fieldsMax';
  /** Number of the record, starting at 1. A record can span several lines. */
  readonly record: number;
  /** The invalid text, such as a column name. */
  readonly text: string;
}

const faultAt = (fault: CsvFault['fault'], record = 1, text = ''): CsvFault => ({ fault, record, text });

/**
 * Parses CSV (RFC 4180) into records. A quote within an unquoted field, or text after a closing
 * quote, is an error.
 */
function recordsOf(text: string): readonly (readonly string[])[] | CsvFault {
  const records: string[][] = [];
  let record: string[] = [];
  let at = 0;
  const end = (): CsvFault | null => {
    // Empty lines are skipped.
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
    return records.length > ROWS_MAX + 1 ? faultAt('rows', records.length) : null;
  };
  while (at < text.length) {
    const [field, next] = text[at] === '"' ? quoted(text, at) : plain(text, at);
    if (field === null) return faultAt('quote', records.length + 1);
    record.push(field);
    if (record.length > FIELDS_MAX) return faultAt('fieldsMax', records.length + 1, String(FIELDS_MAX));
    at = next;
    if (text[at] === ',') {
      at += 1;
      if (at < text.length) continue;
      record.push('');
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    const fault = end();
    if (fault !== null) return fault;
  }
  return records;
}

type Field = readonly [field: string | null, next: number];

const ENDS = /[,\r\n]/g;

function plain(text: string, from: number): Field {
  ENDS.lastIndex = from;
  const end = ENDS.exec(text)?.index ?? text.length;
  const field = text.slice(from, end);
  return [field.includes('"') ? null : field, end];
}

const QUOTES = /"+/g;

function quoted(text: string, from: number): Field {
  QUOTES.lastIndex = from + 1;
  for (let found = QUOTES.exec(text); found !== null; found = QUOTES.exec(text)) {
    // Two quotes in a row stand for one quote in the field.
    if (found[0].length % 2 === 0) continue;
    const end = QUOTES.lastIndex;
    const isEnd = end === text.length || [',', '\r', '\n'].includes(text[end] ?? '');
    return [isEnd ? text.slice(from + 1, end - 1).replaceAll('""', '"') : null, end];
  }
  return [null, text.length];
}

function namesFault(names: readonly string[]): CsvFault | null {
  const broken = names.find((name) => !NAME.test(name));
  if (broken !== undefined) return faultAt('name', 1, broken);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? null : faultAt('twice', 1, twice);
}

/** Parses CSV to rows. The first record has the names of variables; see `INPUT` and `EXPECTED`. */
export function rowsOfCsv(text: string): readonly TestRow[] | CsvFault {
  if (text.length > CSV_MAX) return faultAt('size');
  const records = recordsOf(text.replace(/^\uFEFF/, ''));
  if ('fault' in records) return records;
  const [first = [], ...others] = records;
  const names = first.map((name) => name.trim());
  if (others.length === 0) return faultAt('empty');
  const fault = namesFault(names);
  if (fault !== null) return fault;
  const short = others.findIndex(({ length }) => length !== names.length);
  if (short >= 0) return faultAt('fields', short + 2, String(others[short]?.length ?? 0));
  return others.map((record) => {
    const values = Object.fromEntries(names.map((name, at) => [name, record[at] ?? '']));
    const expected = Object.hasOwn(values, EXPECTED) ? (values[EXPECTED] ?? '') : '';
    return newRow((Object.hasOwn(values, INPUT) ? values[INPUT] : record[0]) ?? '', {
      values: Object.fromEntries(Object.entries(values).filter(([name]) => name !== EXPECTED)),
      check: expected === '' ? null : { kind: 'contains', text: expected },
    });
  });
}

/** Converts each non-empty line to a row, with the line as its user message. */
export function rowsOfLines(text: string): readonly TestRow[] | CsvFault {
  if (text.length > CSV_MAX) return faultAt('size');
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  if (lines.length === 0) return faultAt('empty');
  if (lines.length > ROWS_MAX) return faultAt('rows', lines.length);
  return lines.map((line) => newRow(line, { values: { [INPUT]: line } }));
}

/**
 * Reads the text of a file; null when it is not UTF-8. Returns an error without reading when it is
 * too large.
 */
export async function textOfFile(file: File): Promise<string | null | CsvFault> {
  if (file.size > CSV_MAX) return faultAt('size');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}
