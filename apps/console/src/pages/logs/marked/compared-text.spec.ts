import { COMPARED_MAX, comparedText } from './compared-text';

const shared = { content_type: null, bytes: 1, truncated: false };

describe('comparedText', () => {
  it('indents JSON and keeps other text unchanged', () => {
    expect(comparedText({ ...shared, encoding: 'json', body: { a: 1 } })).toEqual({
      ...{ text: '{\n  "a": 1\n}', isJson: true, isCut: false },
    });
    expect(comparedText({ ...shared, encoding: 'utf8', body: 'data: x' })?.text).toBe('data: x');
  });

  it('truncates long texts and marks them as cut', () => {
    const long = comparedText({ ...shared, encoding: 'utf8', body: 'x'.repeat(COMPARED_MAX + 1) });
    expect(long?.text).toHaveLength(COMPARED_MAX);
    expect(long?.isCut).toBe(true);
    expect(comparedText({ ...shared, truncated: true, encoding: 'utf8', body: 'x' })?.isCut).toBe(true);
  });

  it('returns null for binary bodies and for bodies that are not stored', () => {
    expect(comparedText({ ...shared, encoding: 'base64', body: 'AAAA' })).toBeNull();
    expect(comparedText({ ...shared, encoding: null, body: null })).toBeNull();
  });
});
