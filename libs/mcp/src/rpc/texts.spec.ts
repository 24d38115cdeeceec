import { resultText, withEditedResult } from './texts';

const redact = (text: string): string => text.replaceAll('secret', '***');

describe('texts for guardrails', () => {
  it('returns all texts of a result, and counts binary parts', () => {
    const result = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'x', text: 'b' } },
        { type: 'resource', resource: { uri: 'x', blob: 'AAAA' } },
      ],
      structuredContent: { c: ['d', 1_234] },
    };
    expect(resultText(result)).toEqual({ texts: ['a', 'b', 'c', 'd', '1234'], binaries: 2 });
    expect(resultText({ messages: [{ role: 'user', content: { type: 'text', text: 'm' } }] }).texts).toEqual([
      'm',
    ]);
    expect(resultText({ contents: [{ uri: 'x', text: 'r' }] }).texts).toEqual(['r']);
    expect(resultText({ completion: { values: ['v', 'w'], total: 2 } }).texts).toEqual(['v', 'w']);
    const link = { type: 'resource_link', uri: 'u', name: 'n', title: 't', description: 'd', mimeType: 'm' };
    expect(resultText({ content: [link] }).texts).toEqual(['n', 't', 'd', 'u']);
  });

  it.each<[string, object]>([
    ['a message', { messages: [{ role: 'user', content: { type: 'text', text: 'a secret' } }] }],
    ['a list in a message', { messages: [{ role: 'user', content: [{ type: 'text', text: 'a secret' }] }] }],
    ['a resource', { contents: [{ uri: 'x', text: 'a secret' }] }],
    ['an embedded resource', { content: [{ type: 'resource', resource: { uri: 'x', text: 'a secret' } }] }],
    ['a link', { content: [{ type: 'resource_link', uri: 'x', name: 'n', description: 'a secret' }] }],
    ['a completion', { completion: { values: ['a secret'], hasMore: false } }],
    ['the name of a member', { structuredContent: { 'a secret': 1 } }],
  ])('edits the text of %s', (_, result) => {
    const edited = JSON.parse(JSON.stringify(result).replace('a secret', 'a ***')) as unknown;
    expect(withEditedResult(result as never, redact)).toEqual(edited);
  });

  it('removes structuredContent when the edited text with its JSON is no JSON', () => {
    const structuredContent = { card: 4_111_111_111_111_111 };
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
    const edit = (text: string): string => text.replace(/"card":\d+/, '***');
    expect(withEditedResult({ content, structuredContent }, edit)).toEqual({
      content: [{ type: 'text', text: '{***}' }],
    });
  });

  it('takes what was found only in the text with the JSON into structuredContent', () => {
    const structuredContent = { pin: 'x1' };
    const content = [{ type: 'text', text: JSON.stringify(structuredContent) }];
    const edit = (text: string): string => text.replace('"pin":"x1"', '"pin":"***"');
    expect(withEditedResult({ content, structuredContent }, edit)).toEqual({
      content: [{ type: 'text', text: '{"pin":"***"}' }],
      structuredContent: { pin: '***' },
    });
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
