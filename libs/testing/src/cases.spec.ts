import { assertExpectations, readCases } from './cases';

describe('readCases', () => {
  it('reads the cases of a file', () => {
    expect(readCases('ssrf.json')).toHaveProperty('trusted_cases');
  });

  it('refuses a case with an expectation that the specs of its file do not understand', () => {
    const content = { cases: [{ id: 'a', expect: 'accept' }], redirects: [{ id: 'b', expect: 'rejected' }] };
    expect(() => {
      assertExpectations('ssrf_network.json', content);
    }).toThrow('ssrf_network.json: the case b has the unknown expectation "rejected"');
  });
});
