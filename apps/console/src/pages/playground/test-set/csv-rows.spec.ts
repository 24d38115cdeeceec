import { CSV_MAX, rowsOfCsv, rowsOfLines } from './csv-rows';
import { ROWS_MAX } from './test-set';

const read = (text: string) => {
  const rows = rowsOfCsv(text);
  return 'fault' in rows ? rows : rows.map(({ name, values, check }) => ({ name, values, check }));
};

describe('rowsOfCsv', () => {
  it('reads the values of the columns, and the column "expected" as a check', () => {
    expect(read('input,city,expected\r\nWhere?,Oslo,Norway\r\nWho?,Rome,\r\n')).toEqual([
      {
        ...{ name: 'Where?', values: { input: 'Where?', city: 'Oslo' } },
        check: { kind: 'contains', text: 'Norway' },
      },
      { name: 'Who?', values: { input: 'Who?', city: 'Rome' }, check: null },
    ]);
  });

  it('accepts quotes, separators and line breaks in quoted fields, and a byte order mark', () => {
    expect(read('\uFEFFa,b\n"x, ""y""\r\nz",""\n"""q""",2')).toEqual([
      { name: 'x, "y" z', values: { a: 'x, "y"\r\nz', b: '' }, check: null },
      { name: '"q"', values: { a: '"q"', b: '2' }, check: null },
    ]);
  });

  it('accepts a trailing empty field, and skips empty lines', () => {
    expect(read('a,b\n\n1,\n\n')).toEqual([{ name: '1', values: { a: '1', b: '' }, check: null }]);
    expect(read('a,b\n1,')).toEqual([{ name: '1', values: { a: '1', b: '' }, check: null }]);
  });

  it('keeps column names such as __proto__ as plain values', () => {
    const [row] = rowsOfCsv('__proto__,constructor\n1,2') as readonly { values: object }[];
    expect(Object.entries(row?.values ?? {})).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
  });

  it.each([
    ['', 'empty', 1],
    ['a,b', 'empty', 1],
    ['a\n"x', 'quote', 2],
    ['a\n"x"y', 'quote', 2],
    ['a\nx"y', 'quote', 2],
    ['a,b\n1,2\n1,2,3', 'fields', 3],
    ['a b\n1', 'name', 1],
    ['a,a\n1,2', 'twice', 1],
    [`${'a,'.repeat(50)}a\n1`, 'fieldsMax', 1],
    [`a\n${'x\n'.repeat(ROWS_MAX + 1)}`, 'rows', ROWS_MAX + 2],
    ['x'.repeat(CSV_MAX + 1), 'size', 1],
  ])('rejects %.20j as %s with the number of the record', (text, fault, record) => {
    expect(rowsOfCsv(text)).toMatchObject({ fault, record });
  });

  it('parses hostile input in linear time', () => {
    const hostile = ['"'.repeat(CSV_MAX - 11), `a\n"${'""'.repeat(400_000)}`, `a\n${'"x" '.repeat(200_000)}`];
    for (const text of hostile) expect(rowsOfCsv(text)).toHaveProperty('fault');
  });
});

describe('rowsOfLines', () => {
  it('returns a row for each non-empty line', () => {
    const rows = rowsOfLines(' one \r\n\r\ntwo');
    expect('fault' in rows ? rows : rows.map(({ values }) => values)).toEqual([
      { input: 'one' },
      { input: 'two' },
    ]);
  });

  it('rejects empty and too large inputs', () => {
    expect(rowsOfLines(' \n')).toMatchObject({ fault: 'empty' });
    expect(rowsOfLines('x\n'.repeat(ROWS_MAX + 1))).toMatchObject({ fault: 'rows' });
    expect(rowsOfLines('x'.repeat(CSV_MAX + 1))).toMatchObject({ fault: 'size' });
  });
});
