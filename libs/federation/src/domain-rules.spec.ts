import { domainFault } from './domain-rules';

describe('domainFault', () => {
  it.each([
    ['example.org', false],
    ['example.org', true],
    ['eu.example.co.uk', false],
    ['acme.example', true],
    ['xn--bcher-kva.example', false],
  ])('returns null for %s with allowSubdomains %s', (domain, allowSubdomains) => {
    expect(domainFault(domain, allowSubdomains)).toBeNull();
  });

  it.each([
    ['gmail.com', false, /mail service/],
    ['team.gmail.com', false, /mail service/],
    ['co.uk', false, /suffix/],
    ['com', false, /domain name/],
    ['github.io', false, /suffix/],
    ['10.0.0.1', false, /domain name/],
    ['localhost', false, /domain name/],
    ['intern.corp', false, /public top-level/],
    ['a b.example', false, /domain name/],
    ['eu.example.org', true, /only as example.org/],
  ])('returns for %s with allowSubdomains %s: %s', (domain, allowSubdomains, fault) => {
    expect(domainFault(domain, allowSubdomains)).toMatch(fault);
  });
});
