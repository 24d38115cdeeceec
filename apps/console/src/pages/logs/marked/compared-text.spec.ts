import { COMPARED_MAX, comparedText } from './compared-text';

const shared = { content_type: null, bytes: 1, truncated: false };

describe('The text of a body that is compared', () => {
  it('is JSON on several lines, or the text itself', () => {
    expect(comparedText({ ...shared, encoding: 'json', body: { a: 1 } })).toEqual({
      ...{ text: '{\n  "a": 1\n}', isJson: true, isCut: false },
    });
    expect(comparedText({ ...shared, encoding: 'utf8', body: 'data: x' })?.text).toBe('data: x');
  });

  it('is bounded, and says so', () => {
    const long = comparedText({ ...shared, encoding: 'utf8', body: 'x'.repeat(COMPARED_MAX + 1) });
    expect(long?.text).toHaveLength(COMPARED_MAX);
    expect(long?.isCut).toBe(true);
    expect(comparedText({ ...shared, truncated: true, encoding: 'utf8', body: 'x' })?.isCut).toBe(true);
  });

  it('is null for bytes, and for a body that is not kept', () => {
    expect(comparedText({ ...shared, encoding: 'base64', body: 'AAAA' })).toBeNull();
    expect(comparedText({ ...shared, encoding: null, body: null })).toBeNull();
  });
});
