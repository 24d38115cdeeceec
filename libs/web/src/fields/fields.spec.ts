import 'reflect-metadata';
import { GatewayError } from '@gw/kernel';
import type { Type } from '@nestjs/common';
import { RequestValidationPipe, Strict } from '../http/validation-pipe';
import { pageOf } from '../pagination';
import {
  MapField,
  NestedField,
  NestedListField,
  ObjectField,
  TextListField,
  TextOrListField,
  TextOrObjectField,
} from './composite-fields';
import { QueryBooleanField, QueryEnumListField, QueryIntegerField, QueryUuidListField } from './query-fields';
import {
  BitField,
  DateField,
  EnumField,
  IntegerField,
  NameField,
  NumberField,
  SlugField,
  TextField,
  UuidField,
} from './scalar-fields';

/**
 * The part of class-validator that checks the rules of each object and compares its members with
 * those of its class.
 */
const { ValidationExecutor } = jest.requireActual<{
  ValidationExecutor: { prototype: { execute: (object: object, ...more: unknown[]) => void } };
}>('class-validator/cjs/validation/ValidationExecutor');

class Item {
  @IntegerField({ min: 1, max: 9 })
  count!: number;
}

class Thing {
  @TextField({ optional: true, max: 5 })
  text?: string;
  @TextField({ optional: true, nullable: true, min: 0 })
  note?: string | null;
  @NameField({ optional: true, max: 4 })
  name?: string;
  @SlugField({ optional: true })
  slug?: string;
  @UuidField({ optional: true })
  uuid?: string;
  @BitField({ optional: true })
  bit?: 0 | 1;
  @NumberField({ optional: true, min: 0.5 })
  number?: number;
  @EnumField(['a', 'b'], { optional: true })
  kind?: string;
  @DateField({ optional: true })
  date?: string;
  @TextListField({ optional: true, maxItems: 2 })
  texts?: string[];
  @TextOrListField({ optional: true })
  either?: string | string[];
  @TextOrListField({ optional: true })
  eithers?: string | string[];
  @TextOrObjectField({ optional: true })
  choice?: string | object;
  @MapField({ optional: true, maxEntries: 2, valueMax: 3 })
  map?: Record<string, string>;
  @ObjectField({ optional: true })
  json?: object;
  @NestedListField(() => Item, { optional: true, maxItems: 2 })
  items?: Item[];
}

class Row {
  @NestedListField(() => Item, { maxItems: 10 })
  items!: Item[];
}

class Table {
  @NestedListField(() => Row, { maxItems: 1_000 })
  rows!: Row[];
}

class Outer {
  @NestedField(() => Thing, { optional: true })
  thing?: Thing;
}

@Strict()
class Exact {
  @TextField({ optional: true })
  text?: string;
}

class Search extends pageOf({ size: 20, sizeMax: 50 }) {
  @QueryEnumListField(['x', 'y'])
  status?: string[];
  @QueryUuidListField({ max: 2 })
  ids?: string[];
  @QueryBooleanField()
  deep?: boolean;
}

const pipe = new RequestValidationPipe();

async function check<T>(
  type: 'body' | 'query',
  metatype: Type<T>,
  value: unknown,
): Promise<T | { paths: string[]; param: unknown }> {
  try {
    return (await pipe.transform(value, { type, metatype })) as T;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { details = [], param } = error.options;
    return { paths: details.map(({ path }) => path), param };
  }
}
const body = (value: unknown): Promise<unknown> => check('body', Thing, value);
const query = (value: unknown): Promise<unknown> => check('query', Search, value);

describe('RequestValidationPipe with field decorators', () => {
  it.each([
    '{"json":{"constructor":{"prototype":1},"prototype":{"a":2},"toString":3,"valueOf":[{"constructor":"x"}]}}',
    '{"json":{"\uE000constructor":1,"constructor":2,"b":3,"a":4}}',
    '{"map":{"constructor":"abc","prototype":"def"}}',
    '{"items":[{"count":1}],"json":{"properties":{"isPrototypeOf":{"type":"string"}}}}',
  ])('keeps the members of %s, in their order', async (text) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    expect(JSON.stringify({ ...((await body(JSON.parse(text))) as object) })).toBe(text);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });

  it('passes free-form data on unchanged, without copying its objects', async () => {
    const given = { json: { messages: [{ a: [{}] }, {}] }, map: { a: 'b' }, items: [{ count: 1 }] };
    const taken = (await body(given)) as Thing;
    expect([taken.json === given.json, taken.map === given.map]).toEqual([true, true]);
    expect(taken.items?.[0]).toBeInstanceOf(Item);
    expect(given).toEqual({ json: { messages: [{ a: [{}] }, {}] }, map: { a: 'b' }, items: [{ count: 1 }] });
    const within = (await check('body', Outer, { thing: given })) as Outer;
    expect(within.thing).toBeInstanceOf(Thing);
    expect(within.thing?.json).toBe(given.json);
  });

  it('refuses a body with too many objects before any of them is instantiated', async () => {
    const rows = Array.from({ length: 1_000 }, () => ({ items: Array(10).fill({ count: 1 }) as Item[] }));
    const message = await pipe
      .transform({ rows }, { type: 'body', metatype: Table })
      .catch((error: Error) => error.message);
    expect(message).toBe('The request body has more than 10000 objects in its lists; send it in parts.');
  });

  it('refuses a list by its length without checking its items', async () => {
    let looked = 0;
    const items = Array.from({ length: 11 }, () => ({
      get count() {
        looked += 1;
        return 'x';
      },
    }));
    const rows = [{ items: items.slice(0, 10) }, { items }];
    const refused = await check('body', Table, { rows });
    expect(refused).toEqual({ paths: ['rows.1.items'], param: 'rows.1.items' });
    expect(looked).toBe(10);
    const message = await pipe
      .transform({ items: [1, 2, 3] }, { type: 'body', metatype: Thing })
      .catch((error: Error) => error.message);
    expect(message).toBe('items must contain no more than 2 elements; it has 3.');
  });

  it('checks all items of a long list in several turns of the event loop', async () => {
    const rows = Array.from({ length: 130 }, () => ({ items: [{ count: 1 }] }));
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const table = (await check('body', Table, { rows })) as Table;
    isOver = true;
    expect(table.rows).toHaveLength(130);
    expect(table.rows.every((row) => row instanceof Row && row.items[0] instanceof Item)).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(5);
    const wrong = [...rows.slice(0, 120), { items: [{ count: 'x' }] }];
    expect(await check('body', Table, { rows: wrong })).toMatchObject({ param: 'rows.120.items.0.count' });
    expect(await check('body', Table, { rows: [...rows, 5] })).toMatchObject({ param: 'rows.130' });
  });

  it('hides unknown members from the rules, and reports ten of them for a strict class', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`tex${String(at)}`, 1]));
    const seen: number[] = [];
    const { execute: before } = ValidationExecutor.prototype;
    const execute = jest.spyOn(ValidationExecutor.prototype, 'execute');
    execute.mockImplementation(function (this: object, ...given) {
      seen.push(Object.keys(given[0]).length);
      before.apply(this, given);
    });
    for (const type of [Thing, Exact, Search] as Type[]) await check('body', type, unknown);
    await check('query', Search, unknown);
    execute.mockRestore();
    expect(seen.filter((members) => members > 10)).toEqual([]);
    expect(seen).toHaveLength(4);
    const { paths } = (await check('body', Exact, unknown)) as { paths: string[] };
    expect(paths).toEqual(Array.from({ length: 10 }, (_, at) => `tex${String(at)}`));
    const refused = await pipe
      .transform({ texd: 'x', zzzzzz: 1, [`${'z'.repeat(127)}👩`]: 1 }, { type: 'body', metatype: Exact })
      .catch((error: GatewayError) => error.options.details);
    expect(refused).toEqual([
      { path: 'texd', message: 'is no member of this body; did you mean text?' },
      { path: 'zzzzzz', message: 'is no member of this body; remove it.' },
      { path: `${'z'.repeat(127)}…`, message: 'is no member of this body; remove it.' },
    ]);
  });

  it.each(['constructor', 'prototype', 'toString'])(
    'refuses an unknown field %s for a strict class',
    async (name) => {
      expect(await check('body', Exact, JSON.parse(`{"${name}":1}`))).toEqual({ paths: [name], param: name });
    },
  );

  it('names a field once in an error message, with its path', async () => {
    const messages = async (value: object): Promise<unknown> =>
      pipe.transform(value, { type: 'body', metatype: Thing }).catch((error: Error) => error.message);
    expect(await messages({ kind: 'c' })).toMatch(/^kind must/);
    expect(await messages({ items: [{ count: 'x' }] })).toMatch(/^items\.0\.count must/);
  });

  it.each([
    { text: '12345' },
    { note: null },
    { note: '' },
    { slug: 'A_b-9' },
    { uuid: '018f0000-0000-7000-8000-00000000000a' },
    { bit: 1 },
    { number: 0.5 },
    { kind: 'b' },
    { date: '2026-05-03T17:08:55.000Z' },
    { date: '2026-05-03T17:08:55+02:00' },
    { texts: ['a', 'b'] },
    { map: { a: '123' } },
    { json: { a: [{ b: null }] } },
    { items: [{ count: 1 }] },
    { text: '😀😀' },
    { name: '😀😀😀😀' },
    { date: '2024-02-29T23:59Z' },
    { either: '😀'.repeat(255), eithers: ['😀'.repeat(255), 'a'], choice: '😀'.repeat(255) },
  ])('accepts the body %j', async (value) => {
    expect({ ...((await body(value)) as object) }).toEqual(value);
  });

  it.each([
    [{ text: '123456' }, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 5 }, 'text'],
    [{ text: null }, 'text'],
    [{ text: 'a\u0000' }, 'text'],
    [{ text: '\ud800' }, 'text'],
    [{ slug: 'a/b' }, 'slug'],
    [{ slug: '__proto__' }, 'slug'],
    [{ slug: 'toString' }, 'slug'],
    [{ text: 'a\ufe0f'.repeat(5) }, 'text'],
    [{ name: '\u0958'.repeat(4) }, 'name'],
    [{ name: '\u200b' }, 'name'],
    [{ name: 'a\u2028' }, 'name'],
    [{ date: '2026-W18-1T00:00:00Z' }, 'date'],
    [{ date: '2026-05-03T25:00:00Z' }, 'date'],
    [{ date: '2026-05-03T24:00:00Z' }, 'date'],
    [{ either: '😀'.repeat(256) }, 'either'],
    [{ eithers: ['a', ''] }, 'eithers'],
    [{ choice: '😀'.repeat(256) }, 'choice'],
    [{ choice: '' }, 'choice'],
    [{ date: '2025-02-29T00:00:00Z' }, 'date'],
    [{ uuid: '018f0000-0000-7000-8000' }, 'uuid'],
    [{ bit: 2 }, 'bit'],
    [{ number: 0.4 }, 'number'],
    [{ number: '1' }, 'number'],
    [{ kind: 'c' }, 'kind'],
    [{ date: '2026-05-03' }, 'date'],
    [{ date: '2026-02-30T00:00:00Z' }, 'date'],
    [{ date: '2026-05-03T17:08:55' }, 'date'],
    [{ texts: ['a', 'b', 'c'] }, 'texts'],
    [{ texts: 'a' }, 'texts'],
    [{ texts: [''] }, 'texts'],
    [{ map: { a: 1 } }, 'map'],
    [{ map: { a: '1234' } }, 'map'],
    [{ map: [] }, 'map'],
    [{ map: { a: '', b: '', c: '' } }, 'map'],
    [{ json: [] }, 'json'],
    [{ json: { a: { 'b\u0000': 1 } } }, 'json'],
    [{ items: [{ count: 0 }] }, 'items.0.count'],
    [{ items: [{ count: 1 }, {}] }, 'items.1.count'],
    [{ items: [{ count: 1 }, 'x'] }, 'items.1'],
    [{ items: [null] }, 'items'],
  ])('refuses the body %j and names %s', async (value, path) => {
    const { paths, param } = (await body(value)) as { paths: string[]; param: string };
    expect(
      paths.some((found) => found === path || found.startsWith(`${path}.`) || path.startsWith(found)),
    ).toBe(true);
    expect(param).toBe(paths[0]);
  });

  it('refuses JSON nested deeper than 64 levels, even much deeper JSON', async () => {
    const nested = (depth: number): object => {
      let value: object = {};
      for (let i = 0; i < depth; i += 1) value = { a: value };
      return value;
    };
    expect(await body({ json: nested(60) })).toHaveProperty('json');
    expect(await body({ json: nested(100) })).toMatchObject({ paths: ['json'] });
    expect(await body({ json: nested(100_000) })).toMatchObject({ paths: ['json'] });
  });

  it('normalises a name', async () => {
    expect(await body({ name: ' e\u0301\u3000b\u00a0' })).toMatchObject({ name: 'é b' });
  });

  it('reads UUIDs in lower case, as they are stored', async () => {
    const [given, read] = ['018F0000-0000-7000-8000-00000000000A', '018f0000-0000-7000-8000-00000000000a'];
    expect(await body({ uuid: given })).toMatchObject({ uuid: read });
    expect(await query({ ids: `${given},${read}` })).toMatchObject({ ids: [read, read] });
  });

  it('refuses a known query parameter in brackets, and ignores an unknown one', async () => {
    expect(await query({ 'page_size[]': '5' })).toMatchObject({ param: 'page_size' });
    expect(await query({ 'ids[0]': 'x' })).toMatchObject({ param: 'ids' });
    expect(await query({ 'other[]': '5' })).toMatchObject({ page_size: 20 });
  });

  it('drops unknown members', async () => {
    expect({ ...((await body({ text: 'a', admin: true })) as object) }).toEqual({ text: 'a' });
  });

  it.each([['[]'], ['"text"'], ['7'], ['null']])(
    'refuses the body %s, because it is not an object',
    async (text) => {
      await expect(pipe.transform(JSON.parse(text), { type: 'body', metatype: Thing })).rejects.toMatchObject(
        {
          type: 'body_invalid',
        },
      );
    },
  );

  it('pages from 0 with the default size, and refuses values out of bounds', async () => {
    expect(await query({})).toMatchObject({ current_page: 0, page_size: 20 });
    expect(await query({ current_page: '3', page_size: '50' })).toMatchObject({
      current_page: 3,
      page_size: 50,
    });
    for (const size of ['0', '51', '-1', 'x', '1.5', '', '1e3', ['1', '2']]) {
      expect(await query({ page_size: size })).toMatchObject({ param: 'page_size' });
    }
  });

  it('applies the default of a query integer only when it is absent, on any class', async () => {
    class Direct {
      @QueryIntegerField({ min: 1, max: 9, fallback: 5 })
      size!: number;
    }
    const sizeOf = async (value: object): Promise<unknown> => {
      const { size, param } = (await check('query', Direct, value)) as Direct & { param?: unknown };
      return param ?? size;
    };
    expect(await sizeOf({})).toBe(5);
    expect(await sizeOf({ size: '7' })).toBe(7);
    expect(await sizeOf({ size: '10' })).toBe('size');
    expect(await sizeOf({})).toBe(5);
  });

  it('reads query lists with commas, repeated parameters, or both', async () => {
    expect(await query({ status: 'x,y' })).toMatchObject({ status: ['x', 'y'] });
    expect(await query({ status: ['x', 'y'] })).toMatchObject({ status: ['x', 'y'] });
    expect(await query({ status: 'x,z' })).toMatchObject({ param: 'status' });
    expect(await query({ ids: 'a,b,c' })).toMatchObject({ param: 'ids' });
    expect(await query({ deep: '1' })).toMatchObject({ deep: true });
    expect(await query({ deep: 'maybe' })).toMatchObject({ param: 'deep' });
  });
});
