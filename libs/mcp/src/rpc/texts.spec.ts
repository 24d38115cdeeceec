import { argumentText, resultText, withEditedResult } from './texts';

const redact = (text: string): string => text.replaceAll('secret', '***');

describe('texts for guardrails', () => {
  it('returns the strings of arguments without member names', () => {
    expect(argumentText({ a: 'x', b: [{ c: 'y' }, 1, null], __proto: true })).toBe('x\ny');
  });

  it('returns all texts of a result, and counts binary parts', () => {
    const result = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'x', text: 'b' } },
        { type: 'resource', resource: { uri: 'x', blob: 'AAAA' } },
      ],
      structuredContent: { c: ['c'] },
    };
    expect(resultText(result)).toEqual({ texts: ['a', 'b', 'c'], binaries: 2 });
    expect(resultText({ messages: [{ role: 'user', content: { type: 'text', text: 'm' } }] }).texts).toEqual([
      'm',
    ]);
    expect(resultText({ contents: [{ uri: 'x', text: 'r' }] }).texts).toEqual(['r']);
  });

  it('edits structuredContent and the text part with its JSON alike', () => {
    const structuredContent = { key: 'secret', list: ['secret', 1] };
    const content = [
      { type: 'text', text: JSON.stringify(structuredContent, null, 2) },
      { type: 'text', text: 'a secret' },
    ];
    const edited = { key: '***', list: ['***', 1] };
    expect(withEditedResult({ content, structuredContent }, redact)).toEqual({
      content: [
        { type: 'text', text: JSON.stringify(edited) },
        { type: 'text', text: 'a ***' },
      ],
      structuredContent: edited,
    });
  });
});
