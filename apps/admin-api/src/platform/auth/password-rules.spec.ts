import { assertGoodPassword } from './password-rules';

describe('assertGoodPassword', () => {
  const refused = (password: string): string => {
    try {
      assertGoodPassword(password, 'ada.lovelace@example.com');
      return '';
    } catch (error) {
      return JSON.stringify(error);
    }
  };

  it('refuses fewer than twelve characters, and counts code points', () => {
    expect(refused('k3!Zq9#vW2p')).not.toBe('');
    expect(refused('🔒🔒🔒🔒🔒🔒')).not.toBe('');
    expect(refused('k3!Zq9#vW2pX')).toBe('');
  });

  it('refuses common passwords, also with digits, signs and capitals added', () => {
    for (const password of [
      'qwerty123456',
      '1qaz2wsx3edc',
      'Password2024!',
      'P@ssw0rd12345',
      'password!!!!!!!!',
      '123456789012',
      'aaaaaaaaaaaa',
      'abcdefghijkl',
      'abcabcabcabc',
      'letmein000000',
      'Football-2026',
      'qwertyuiopasdf',
      'POIUYTREWQ2026',
      '1qaz2wsx9ol.!',
      'asdfghjkl-mnbvc',
    ]) {
      expect([password, refused(password) === '']).toEqual([password, false]);
    }
  });

  it("refuses the user's email address and the product name", () => {
    expect(refused('Ada.Lovelace1')).not.toBe('');
    expect(refused('example-2026!')).not.toBe('');
    expect(refused('tollgate-2026')).not.toBe('');
  });

  it('accepts long phrases and random text', () => {
    for (const password of [
      'correct horse battery staple',
      'tollgate keeps my horses fed',
      'zV4-qLm9-Tw2x-Hb7r',
      'qwerty on my wooden piano',
      'пароль из четырёх слов',
    ]) {
      expect([password, refused(password)]).toEqual([password, '']);
    }
  });
});
