import { matchesUriTemplate } from './uri-template';

describe('matchesUriTemplate', () => {
  it.each([
    ['test://template/{id}/data', 'test://template/1/data', true],
    ['test://template/{id}/data', 'test://template//data', false],
    ['test://template/{id}/data', 'test://template/a/b/data', false],
    ['file:///{+path}', 'file:///a/b/c', true],
    ['file:///{path}', 'file:///a/b', false],
    ['a:{x}-{y}', 'a:1-2', true],
    ['a:{x}-{y}', 'a:1-', false],
    ['a:b', 'a:b', true],
    ['a:b', 'a:bc', false],
    ['{+x}', '', false],
    ['a:{x}z', 'a:1zz', true],
  ])('returns for the template %s and the URI %s: %s', (template, uri, wanted) => {
    expect(matchesUriTemplate(template, uri)).toBe(wanted);
  });
});
