import { META, type JsonObject } from '../protocol';
import { McpFault } from '../fault';
import { respond } from '../spec-support/endpoint';
import { tools, vectors } from '../spec-support/vectors';
import { headerParameters } from './header-parameters';
import type { HeaderFields } from './headers';
import { checkParameterHeaders, upstreamHeaders } from './request-headers';
import { decodeHeaderValue, encodeHeaderValue } from './sentinel';

interface HeaderCase {
  readonly input: { readonly tool: string; readonly headers: HeaderFields; readonly arguments: JsonObject };
  readonly expect: 'accept' | 'either' | { readonly code?: number; readonly status: number };
}

/** Returns status and code of a modern tools/call; status 200 if its headers are valid. */
function judge({ tool, headers, arguments: args }: HeaderCase['input']): { status: number; code?: unknown } {
  const { name, inputSchema } = tools[tool] as { name: string; inputSchema: unknown };
  const _meta = { [META.version]: '2026-07-28', [META.capabilities]: {} };
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: args, _meta },
  });
  const fixed = { accept: '*/*', 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28' };
  const response = respond('POST', { ...fixed, ...headers }, body);
  const { received } = response;
  if (received?.kind !== 'modern' || received.message.kind !== 'request')
    return { status: response.status, code: (response.body?.['error'] as JsonObject)['code'] };
  const read = headerParameters(inputSchema);
  if (!read.ok) throw new Error(read.reason);
  try {
    checkParameterHeaders(headers, read.parameters, received.message);
    return { status: 200 };
  } catch (error) {
    if (error instanceof McpFault) return { status: error.status, code: error.code };
    throw error;
  }
}

describe('headers of modern requests', () => {
  it.each(vectors<HeaderCase>('headers'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const found = judge(input);
    if (wanted === 'accept') expect(found.status).toBe(200);
    else if (wanted === 'either') expect([200, 400]).toContain(found.status);
    else expect(found).toMatchObject(wanted);
  });
});

interface SchemaCase {
  readonly input: { readonly inputSchema: unknown };
  readonly expect: 'accept' | 'reject';
}

describe('x-mcp-header', () => {
  it.each(vectors<SchemaCase>('x-mcp-header'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    expect(headerParameters(input.inputSchema).ok).toBe(wanted === 'accept');
  });

  it('ignores x-mcp-header in data and as a property name', () => {
    const schema = {
      type: 'object',
      properties: {
        'x-mcp-header': { type: 'string' },
        a: { type: 'object', default: { 'x-mcp-header': 1 } },
      },
    };
    expect(headerParameters(schema)).toEqual({ ok: true, parameters: [] });
  });

  it.each(['$defs', 'patternProperties', 'additionalProperties', 'allOf', 'not', 'then'])(
    'refuses an annotation below %s',
    (keyword) => {
      const marked = { type: 'string', 'x-mcp-header': 'A' };
      const value = keyword === 'allOf' ? [marked] : { properties: { a: marked } };
      expect(headerParameters({ type: 'object', [keyword]: value }).ok).toBe(false);
    },
  );
});

interface SentinelCase {
  readonly input: { readonly value: string };
  readonly expect: 'either' | { readonly header: string };
}

describe('encodeHeaderValue', () => {
  it.each(vectors<SentinelCase>('sentinel'))(
    '%s %s',
    (_id, _reason, { input: { value }, expect: wanted }) => {
      const header = encodeHeaderValue(value);
      if (wanted !== 'either') expect(header).toBe(wanted.header);
      expect(decodeHeaderValue(header)).toBe(value);
    },
  );

  it('encodes every text so that decodeHeaderValue returns it', () => {
    for (const value of [
      '=?base64?=',
      '=?base64??=',
      'a\r\nb',
      '\u0000',
      'a ',
      '\t',
      '😀',
      '=?BASE64?eA==?=',
    ])
      expect(decodeHeaderValue(encodeHeaderValue(value))).toBe(value);
    for (const header of ['=?base64?eA?=', '=?base64?eA= =?=', '=?base64?eB==?=', '=?base64?!?=', ' a'])
      expect(decodeHeaderValue(header)).toBeNull();
  });

  it('encodes safe integers and refuses other numbers', () => {
    expect(encodeHeaderValue(42)).toBe('42');
    expect(() => encodeHeaderValue(2 ** 53)).toThrow(RangeError);
    expect(() => encodeHeaderValue(1.5)).toThrow(RangeError);
  });
});

describe('upstreamHeaders', () => {
  it('returns the method, the name and the annotated arguments', () => {
    const read = headerParameters(tools['T']?.inputSchema);
    const params = { name: 'größe', arguments: { region: 'eu', n: 42, flag: null, o: { deep: ' x' } } };
    expect(
      upstreamHeaders('2026-07-28', { method: 'tools/call', params }, read.ok ? read.parameters : []),
    ).toEqual({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
      'mcp-param-region': 'eu',
      'mcp-param-count': '42',
      'mcp-param-deep': '=?base64?IHg=?=',
    });
  });
});
