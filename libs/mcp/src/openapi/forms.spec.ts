import type { JsonObject } from '../protocol';
import { OpenApiFault } from './document';
import { METHODS } from './http-operation';
import { openApiRequest } from './request';
import { openApiTools, type OpenApiTool } from './tools';

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

interface Form {
  readonly type?: string;
  readonly schema?: JsonObject;
  readonly encoding?: JsonObject;
  readonly required?: boolean;
  readonly operation?: JsonObject;
}

const text = { type: 'string' };
const FILE = { type: 'string', format: 'binary' };

function made({ type = URLENCODED, schema = {}, encoding = {}, required = true, operation = {} }: Form) {
  const content = { [type]: { schema: { type: 'object', ...schema }, encoding } };
  return openApiTools(
    { openapi: '3.1.0', paths: { '/p': { post: { requestBody: { required, content }, ...operation } } } },
    { include: { methods: METHODS } },
  );
}

function toolOf(form: Form): OpenApiTool {
  const { tools, refused } = made(form);
  const [tool] = tools;
  if (tool === undefined) throw new Error(refused[0]?.reason);
  return tool;
}

const sent = (form: Form, args: JsonObject): { readonly type: string; readonly text: string } | null => {
  // Stored operations are JSON, so the test converts the operation too.
  const operation = JSON.parse(JSON.stringify(toolOf(form).operation)) as OpenApiTool['operation'];
  const { body } = openApiRequest(operation, args);
  return body === null ? null : { type: body.type, text: body.bytes.toString('utf8') };
};

describe('URL-encoded forms', () => {
  const written = (property: JsonObject, value: unknown, encoding: JsonObject = {}): string | undefined =>
    sent({ schema: { properties: { f: property } }, encoding: { f: encoding } }, { f: value })?.text;

  it.each([
    [{}, 'a&b=c d+ü', {}, 'f=a%26b%3Dc%20d%2B%C3%BC'],
    [{}, 3.5, {}, 'f=3.5'],
    [{}, false, {}, 'f=false'],
    [{}, ['a', 'b,c'], {}, 'f=a&f=b%2Cc'],
    [{}, { a: 1 }, {}, 'f=%7B%22a%22%3A1%7D'],
    [{}, [{ a: 1 }], {}, 'f=%7B%22a%22%3A1%7D'],
    [{}, ['a', 'b'], { explode: false }, 'f=a,b'],
    [{}, ['a', 'b'], { style: 'pipeDelimited', explode: false }, 'f=a%7Cb'],
    [{}, { a: 1, b: '&' }, { style: 'deepObject', explode: true }, 'f%5Ba%5D=1&f%5Bb%5D=%26'],
    [{}, ['a'], { contentType: 'application/json' }, 'f=%5B%22a%22%5D'],
  ])('serialises a field %j with value %j and encoding %j as %s', (property, value, encoding, wanted) => {
    expect(written(property, value, encoding)).toBe(wanted);
  });

  it('have one argument for each field, and leave out null and unknown fields', () => {
    const schema = { properties: { a: text, b: text, id: { ...text, readOnly: true } }, required: ['a'] };
    expect(toolOf({ schema }).definition['inputSchema']).toMatchObject({
      ...{ properties: { a: text, b: text }, required: ['a'], additionalProperties: false },
    });
    expect(sent({ schema }, { a: 'x', b: null, id: '1', other: 2 })).toEqual({
      type: URLENCODED,
      text: 'a=x',
    });
    expect(sent({ schema, required: false }, {})).toBeNull();
  });

  it('are one argument if a parameter has the name of a field', () => {
    const operation = { parameters: [{ in: 'query', name: 'a', schema: text }] };
    const form = { schema: { properties: { a: text } }, operation };
    expect(toolOf(form).definition['inputSchema']).toMatchObject({ required: ['body'] });
    expect(sent(form, { a: 'query', body: { a: 'form', more: 1 } })?.text).toBe('a=form&more=1');
    expect(() => sent(form, { body: 'a=b' })).toThrow('must be an object with the fields of the form');
  });

  it('refuse unpaired surrogates, numbers that lost precision, and values that a style cannot express', () => {
    for (const value of ['\ud800', 2 ** 60]) expect(() => written({}, value)).toThrow(OpenApiFault);
    expect(() => written({}, { a: { b: 1 } }, { style: 'deepObject' })).toThrow(OpenApiFault);
  });
});

describe('multipart forms', () => {
  const form = (properties: JsonObject, encoding: JsonObject = {}): Form => ({
    ...{ type: MULTIPART, schema: { properties }, encoding },
  });
  /** Returns head and content of each part of a form. */
  function parts(of: Form, args: JsonObject): readonly string[] {
    const body = sent(of, args);
    const [, boundary = ''] = /^multipart\/form-data; boundary=([\w-]{20,70})$/.exec(body?.type ?? '') ?? [];
    const pieces = body?.text.split(`--${boundary}`) ?? [];
    expect([pieces[0], pieces.at(-1)]).toEqual(['', '--\r\n']);
    return pieces.slice(1, -1).map((piece) => piece.slice(2, -2));
  }
  const head = (name: string, more = ''): string => `Content-Disposition: form-data; name="${name}"${more}`;

  it('have a part for each value: texts, JSON of objects, and the items of lists', () => {
    const of = form({ name: text, tags: { type: 'array', items: text }, meta: { type: 'object' } });
    expect(parts(of, { name: 'Réx\r\n--', tags: ['a', 2], meta: { b: [1] } })).toEqual([
      `${head('name')}\r\n\r\nRéx\r\n--`,
      `${head('tags')}\r\n\r\na`,
      `${head('tags')}\r\n\r\n2`,
      `${head('meta')}\r\nContent-Type: application/json\r\n\r\n{"b":[1]}`,
    ]);
  });

  it('are parsed by Node.js to the original values', async () => {
    const of = form({ 'a"b': text, photo: FILE });
    const { body } = openApiRequest(toolOf(of).operation, {
      ...{
        'a"b': 'x',
        photo: { data: Buffer.from([0, 13, 10, 255]).toString('base64'), filename: 'ä "1".png' },
      },
    });
    const headers = { 'content-type': body?.type ?? '' };
    const read = await new Response(new Uint8Array(body?.bytes ?? []), { headers }).formData();
    const photo = read.get('photo') as File;
    expect([...read.keys()]).toEqual(['a"b', 'photo']);
    expect([photo.name, [...new Uint8Array(await photo.arrayBuffer())]]).toEqual([
      ...['ä "1".png', [0, 13, 10, 255]],
    ]);
  });

  it('accept files in base64, of one media type, and lists of files', () => {
    const photo = { ...FILE, description: 'A photo.' };
    const of = form(
      { photo, more: { type: 'array', items: FILE } },
      { photo: { contentType: 'image/*, image/png' } },
    );
    expect(toolOf(of).definition['inputSchema']).toMatchObject({
      properties: {
        photo: { type: 'object', description: 'A photo.', required: ['data'] },
        more: { type: 'array', items: { type: 'object', required: ['data'] } },
      },
    });
    const file = { data: 'aGk=', filename: 'a.png' };
    expect(parts(of, { photo: file, more: [file, { data: '' }] })).toEqual([
      `${head('photo', '; filename="a.png"')}\r\nContent-Type: image/png\r\n\r\nhi`,
      `${head('more', '; filename="a.png"')}\r\nContent-Type: application/octet-stream\r\n\r\nhi`,
      `${head('more', '; filename="file"')}\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ]);
    const modern = form({
      f: { contentMediaType: 'image/png' },
      g: { ...text, contentMediaType: 'text/csv' },
    });
    expect(toolOf(modern).operation.body?.form?.fields).toEqual({ f: { isFile: true } });
  });

  it('refuse values that are not files, and names that point to other folders or break a header', () => {
    const of = form({ photo: FILE });
    for (const photo of [
      'aGk=',
      {},
      { data: 'a' },
      { data: 'a-b_' },
      { data: '====' },
      { data: 5 },
      null,
      [1],
    ])
      if (photo !== null) expect(() => sent(of, { photo })).toThrow('must be a file');
    for (const filename of [
      '../a',
      'a/b',
      'a\\b',
      'C:a',
      '..',
      '',
      'a\r\nX: 1',
      'a\0',
      '\ud800',
      'x'.repeat(256),
      7,
    ])
      expect(() => sent(of, { photo: { data: '', filename } })).toThrow('The filename of photo must have');
  });

  it('do not let names and texts inject parts', () => {
    const of = form({ a: { type: 'object' } });
    const name = 'b"\r\nContent-Type: text/html\r\n\r\n<script>';
    const operation = { parameters: [{ in: 'query', name: 'a', schema: text }] };
    const [part] = parts({ ...of, operation }, { body: { [name]: 'x' } });
    expect(part).toBe(`${head('b%22%0D%0AContent-Type: text/html%0D%0A%0D%0A<script>')}\r\n\r\nx`);
    expect(() => parts({ ...of, operation }, { body: { ['n'.repeat(257)]: 'x' } })).toThrow(OpenApiFault);
    expect(() => parts({ ...of, operation }, { body: { a: '\ud800' } })).toThrow(OpenApiFault);
    const poisoned = form({ a: text }, { a: { contentType: 'text/plain\r\nX-Evil: 1' } });
    expect(parts(poisoned, { a: 'x' })).toEqual([`${head('a')}\r\n\r\nx`]);
  });

  it('have at most 1,000 parts and 8 MiB', () => {
    const of = form({ a: { type: 'array' }, b: { type: 'array' }, c: text });
    const many = Array.from({ length: 600 }, () => 'x');
    expect(() => sent(of, { a: many, b: many })).toThrow('A form has at most 1000 fields');
    expect(() => sent(of, { c: 'x'.repeat(8_388_609) })).toThrow('A form has at most 1000 fields');
    const encoded = { schema: { properties: { c: text } } };
    expect(() => sent(encoded, { c: 'ü'.repeat(1_500_000) })).toThrow('A form has at most 1000 fields');
  });
});

describe('operations with forms', () => {
  it('send JSON if they accept it, and prefer a URL-encoded form to a multipart form', () => {
    const schema = { type: 'object', properties: { a: text } };
    const typeOf = (...types: readonly string[]): string | undefined => {
      const content = Object.fromEntries(types.map((type) => [type, { schema }]));
      const operation = { requestBody: { required: true, content } };
      const [tool] = openApiTools(
        { openapi: '3.1.0', paths: { '/p': { post: operation } } },
        { include: { methods: METHODS } },
      ).tools;
      return tool && openApiRequest(tool.operation, { a: 'x' }).body?.type;
    };
    expect(typeOf(MULTIPART, URLENCODED, 'application/json')).toBe('application/json');
    expect(typeOf(MULTIPART, `${URLENCODED}; charset=utf-8`)).toBe(URLENCODED);
    expect(typeOf('Multipart/Form-Data')).toMatch(/^multipart\/form-data; boundary=/);
  });

  it('are refused with the reason if their form cannot be sent, and omit it if it is optional', () => {
    const composed = { schema: { properties: { a: text }, oneOf: [{ required: ['a'] }] } };
    expect(made(composed).refused[0]?.reason).toContain('without allOf, anyOf and oneOf');
    expect(toolOf({ ...composed, required: false }).operation.body).toBeNull();
    const styled = { schema: { properties: { a: text } }, encoding: { a: { style: 'matrix' } } };
    expect(made(styled).refused[0]?.reason).toBe('The field a has a style that is not supported.');
    const names = Array.from({ length: 201 }, (_, at) => [`f${String(at)}`, text] as const);
    expect(made({ schema: { properties: Object.fromEntries(names) } }).refused[0]?.reason).toContain(
      'at most 200',
    );
    expect(made({ schema: { properties: { a: { $ref: 'https://evil.example/a' } } } }).refused).toHaveLength(
      1,
    );
  });

  it('accept field names that are members of Object.prototype', () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"string"}}',
    ) as JsonObject;
    const args = JSON.parse('{"__proto__":"a","constructor":"b"}') as JsonObject;
    expect(sent({ schema: { properties } }, args)?.text).toBe('__proto__=a&constructor=b');
  });
});
