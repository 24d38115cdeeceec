import { withUiUri, withUris } from './uris';

const change = (uri: string): string => `${uri}!`;

describe('URIs of resources in results', () => {
  it('changes URIs in content, contents and messages, and nothing else', () => {
    const link = { type: 'resource_link', uri: 'a:1', name: 'x' };
    const embedded = { type: 'resource', resource: { uri: 'a:2', text: 'a:2' } };
    expect(
      withUris(
        {
          content: [link, embedded, { type: 'text', text: 'a:3' }, 5],
          contents: [{ uri: 'a:4', text: '' }],
          messages: [{ role: 'user', content: link }, { role: 'user', content: embedded }, null],
          structuredContent: { uri: 'a:5' },
        },
        change,
      ),
    ).toEqual({
      content: [
        { ...link, uri: 'a:1!' },
        { type: 'resource', resource: { uri: 'a:2!', text: 'a:2' } },
        { type: 'text', text: 'a:3' },
        5,
      ],
      contents: [{ uri: 'a:4!', text: '' }],
      messages: [
        { role: 'user', content: { ...link, uri: 'a:1!' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'a:2!', text: 'a:2' } } },
        null,
      ],
      structuredContent: { uri: 'a:5' },
    });
    expect(withUris({ content: 'a:1' }, change)).toEqual({ content: 'a:1' });
  });

  it('changes URIs in definitions of tools with user interfaces', () => {
    const meta = { ui: { resourceUri: 'ui://a', prefersBorder: true }, 'ui/resourceUri': 'ui://a', x: 1 };
    expect(withUiUri({ name: 't', _meta: meta }, change)).toEqual({
      name: 't',
      _meta: { ui: { resourceUri: 'ui://a!', prefersBorder: true }, 'ui/resourceUri': 'ui://a!', x: 1 },
    });
    const plain = { name: 't', _meta: { x: 1 } };
    expect(withUiUri(plain, change)).toBe(plain);
  });
});
