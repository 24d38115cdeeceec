import { hasDuplicateMembers } from './exact-json';
import { jsonSize } from './json-size';
import { memberCount } from './member-count';

describe('memberCount', () => {
  it.each([
    ['{}', false],
    ['[]', false],
    ['1', false],
    ['{"a":1,"b":{"a":2,"c":[{"a":3},{"a":4}]}}', false],
    ['{"a":1,"a":1}', true],
    ['{"a":{"b":[{"c":{},"c":{"d":1}}]}}', true],
    ['{"a":{"x":1,"y":2},"a":{}}', true],
    ['{"a":1,"\\u0061":2}', true],
    ['{"é":1,"\\u00e9":2}', true],
    ['{"__proto__":1,"constructor":2,"toString":3}', false],
    ['{"__proto__":{"a":1},"__proto__":{"a":1}}', true],
    ['{"1":1,"01":2,"1.0":3}', false],
    ['{"0":1,"0":2}', true],
    ['{"":1,"":2}', true],
    ['{":":",:","b":"\\":"}', false],
  ])('is lower than the count of jsonSize exactly when a name is duplicated in %s', (text, isRepeated) => {
    const body = Buffer.from(text);
    const { members } = jsonSize(body, () => false);
    expect(memberCount(JSON.parse(text)) < members).toBe(isRepeated);
    expect(memberCount(JSON.parse(text)) === members).toBe(!isRepeated);
    expect(hasDuplicateMembers(body)).toBe(isRepeated);
  });
});
