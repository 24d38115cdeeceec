import { BodySkim } from './body-skim';
import { formScan } from './form-scan';
import { shallowScan, type ShallowScan } from './shallow-scan';

const TYPE = 'multipart/form-data; boundary=XYZ';
const LONG = 100_000;

/** Scans the body in chunks of `size` bytes. */
function skim(body: Buffer, size: number, type = TYPE): ShallowScan | null {
  const made = new BodySkim(type);
  for (let at = 0; at < body.length; at += size) made.add(body.subarray(at, at + size));
  return made.scan();
}

const part = (head: string, value: string): string => `--XYZ\r\n${head}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (value: string): string =>
  part('Content-Disposition: form-data; name="file"; filename="a.mp3"', value);
const form = (...parts: readonly string[]): Buffer => Buffer.from(`${parts.join('')}--XYZ--\r\n`, 'latin1');
const noise = 'ÿû\r\n--XY\r\n\r\n"\\'.repeat(LONG / 10);

const FORMS: readonly [string, Buffer][] = [
  ['a model behind a long file', form(file(noise), field('model', '@slug/whisper-1'))],
  ['a model before a long file', form(field('model', 'whisper-1'), file(noise))],
  ['a model between two files', form(file(noise), field('model', 'm'), file(noise))],
  ['two models with a file between', form(field('model', 'a'), file(noise), field('model', 'b'))],
  ['no model', form(file(noise), field('prompt', 'model'))],
  ['a model that is too long', form(file(noise), field('model', 'm'.repeat(5_000)))],
  ['a head that is too long', form(file(noise), part(`${'x'.repeat(9_000)}: 1`, 'v'), field('model', 'm'))],
  [
    'an odd head',
    form(file(noise), part('Content-Disposition: form-data; name=model', 'b'), field('model', 'a')),
  ],
  ['a form that does not end', form(file(noise), field('model', 'm')).subarray(0, -6)],
  ['a file that looks like a boundary', form(file('\r\n--XY\r\n--X'.repeat(LONG)), field('model', 'm'))],
  ['an empty part', form(field('a', ''), field('model', ''), file(noise))],
  ['no form at all', Buffer.from('x'.repeat(LONG))],
];

const image = `data:image/png;base64,${'A'.repeat(LONG)}`;
const JSONS: readonly [string, string][] = [
  ['a model before a long value', `{"model":"gpt-4o","messages":[{"a":"${image}"}],"stream":true}`],
  ['a model behind a long value', `{"messages":[{"a":"${image}"}], "x":"${image}" ,"model" : "@s/gpt-4o"}\n`],
  ['two models', `{"model":"a","messages":[{"a":"${image}"}],"model":"b"}`],
  ['an escaped key', `{"mod\\u0065l":"a","x":"${image}","model":"b"}`],
  ['nested models', `{"x":{"model":"no","y":["${image}",{"model":"no"}]},"model":"yes"}`],
  ['quotes in long strings', `{"x":"${'\\"\\\\'.repeat(LONG)}","model":"m"}`],
  [
    'a backslash where a long string is cut',
    `{"x":"${'a'.repeat(2_047)}\\"${'b'.repeat(LONG)}","model":"m"}`,
  ],
  [
    'an escape where a long string is cut',
    `{"x":"${'a'.repeat(2_045)}\\u00e9${'b'.repeat(LONG)}","model":"m"}`,
  ],
  ['a bad escape in a long string', `{"x":"${'a'.repeat(LONG)}\\x41${'b'.repeat(LONG)}","model":"m"}`],
  ['a bad escape further in', `{"x":[{"y":"\\u12"}],"z":"${image}","model":"m"}`],
  ['a text that ends within an escape', `{"model":"m","x":"${image}\\u12`],
  ['a long model', `{"x":"${image}","model":"${'m'.repeat(3_000)}"}`],
  ['a long key', `{"${'k'.repeat(3_000)}":1,"x":"${image}","model":"m"}`],
  ['white space around', `${' \n'.repeat(9)}{"x":"${image}","model":"m"}${'\n '.repeat(9)}`],
  ['something behind the object', `{"x":"${image}","model":"m"} {"model":"b"}`],
  ['an object that does not end', `{"model":"m","x":"${image}`],
  ['brackets that do not match', `{"x":["${image}"},"model":"m"}`],
  ['a stream that is no boolean', `{"x":"${image}","model":"m","stream":"yes"}`],
];

describe('BodySkim', () => {
  it.each(FORMS)('reports the same as formScan for %s', (_what, body) => {
    for (const size of [7, 4_096, 65_536, body.length])
      expect(skim(body, size)).toEqual(formScan(body, TYPE));
  });

  it.each(JSONS)('reports the same as shallowScan for %s', (_what, text) => {
    const body = Buffer.from(text);
    for (const size of [1, 4_096, 65_536, body.length]) expect(skim(body, size)).toEqual(shallowScan(body));
  });

  it('reports the same as a scan of the whole body, wherever chunks end', () => {
    const body = form(field('a', 'b'), file('x'.repeat(6_000)), field('model', 'whisper-1'));
    for (let size = 1; size < 200; size += 1) expect(skim(body, size)).toEqual(formScan(body, TYPE));
    const object = Buffer.from('{"a":[{"b":"\\\\\\"\\u00e9"}],"c":"\\\\", "model":"gpt" , "stream":false }');
    for (let size = 1; size < object.length; size += 1)
      expect(skim(object, size)).toEqual(shallowScan(object));
  });

  it('requests a parse of a body whose skeleton is too large, and reports no model', () => {
    const wide = Buffer.from(`{"model":"m",${'"key":"value",'.repeat(60_000)}"z":1}`);
    expect(skim(wide, 65_536)).toMatchObject({ model: null, needsParse: true, modelSpan: null });
    const parts = form(
      field('model', 'm'),
      ...Array.from({ length: 200 }, () => field('a', 'v'.repeat(6_000))),
    );
    expect(skim(parts, 65_536)).toMatchObject({ model: null, modelSpan: null, isForm: true });
  });

  it('reads a JSON object with any content type, and a form only when one is expected', () => {
    expect(skim(Buffer.from('{"model":"m"}'), 4, 'text/plain')?.model).toBe('m');
    const unread = new BodySkim(undefined);
    unread.add(form(field('model', 'm')));
    expect(unread.scan()).toBeNull();
  });
});
