import { domainOf } from './verified-domains';

describe('the domain of an address', () => {
  it.each([
    ['ann@Example.ORG', 'example.org'],
    ['ann@bücher.example', 'xn--bcher-kva.example'],
    ['ann@a.b.example.org', 'a.b.example.org'],
  ])('of %s is %s', (email, domain) => {
    expect(domainOf(email)).toBe(domain);
  });

  it.each([
    ...['ann', 'ann@', '@example.org', 'ann@b@example.org', 'an n@example.org', 'ann@exa mple.org'],
    // URL parsers end a host at these characters, or decode them.
    ...['ann@example.org/x', 'ann@example.org?x', 'ann@example.org#x', 'ann@example.org\\x'],
    ...['ann@%65xample.org', 'ann@example.org:25', 'ann@[::1]'],
  ])('of %s does not exist', (email) => {
    expect(domainOf(email)).toBeNull();
  });
});
