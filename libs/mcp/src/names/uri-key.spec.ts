import { uriKey } from './uri-key';

describe('uriKey', () => {
  it.each([
    ...['file:///a/secret%2Etxt', 'file:///a/%73ecret.txt', 'file:///a/secret%252etxt'],
    ...['FILE:///a/secret.txt', 'file:///a/SECRET.txt', 'file:///a//secret.txt', 'file:///a/./secret.txt'],
    ...['file:///b/../a/secret.txt', 'file:///b/%2e%2e/a/secret.txt', 'file:///a\\secret.txt'],
    ...['file:///a/secret.txt#x', 'file:///a/secret.txt?', 'file:///a/secret.txt/'],
  ])('is the same for another spelling of a resource: %s', (uri) => {
    expect(uriKey(uri)).toBe(uriKey('file:///a/secret.txt'));
  });

  it.each(['file:///a/secret.txt2', 'file:///secret.txt', 'http://a/secret.txt', 'file:///a/secret.txt?v=2'])(
    'differs for another resource: %s',
    (uri) => {
      expect(uriKey(uri)).not.toBe(uriKey('file:///a/secret.txt'));
    },
  );

  it('keeps what is not encoded correctly', () => {
    expect(uriKey('test://50%/%zz')).toBe('test://50%/%zz');
  });
});
