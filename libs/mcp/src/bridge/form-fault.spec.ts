import { formFault } from './form-fault';

const form = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const TEXT = { type: 'string' };

describe('forms of upstreams', () => {
  it.each([
    ...['password', 'otp_code', 'card_cvv', 'ssnLast4', 'user_pin', 'pin-code', 'accessToken', 'API key'],
    ...['pass\u200bword', 'ｐａｓｓｗｏｒｄ', 'Client.Secret'],
  ])('are refused when a field is named %s', (name) => {
    expect(formFault(form({ [name]: TEXT }))).toMatch('secrets');
    expect(formFault(form({ a: { ...TEXT, title: name } }))).toMatch('secrets');
  });

  it.each([
    { type: 'object', properties: { password: TEXT } },
    { type: ['object', 'null'] },
    { anyOf: [{ type: 'object', properties: { password: TEXT } }] },
    { type: 'array', items: { type: 'object', properties: { password: TEXT } } },
    { type: 'array', items: { $ref: '#/$defs/a' } },
    { type: 'string', allOf: [{}] },
    { additionalProperties: TEXT },
  ])('are refused with the nested field %j', (field) => {
    expect(formFault(form({ a: field }))).toMatch('flat');
  });

  it.each([
    { allOf: [form({ password: TEXT })] },
    { oneOf: [form({ password: TEXT })] },
    { patternProperties: { 'pass.*': TEXT } },
    { additionalProperties: TEXT },
    { $ref: '#/$defs/secrets' },
  ])('are refused when fields are added by %j', (more) => {
    expect(formFault(form({ a: TEXT }, more))).toMatch('flat');
  });

  it('are shown with texts, numbers, booleans and choices', () => {
    const choices = [{ const: 'a', title: 'A' }, { const: 'b' }];
    const fields = {
      name: TEXT,
      pin_board: TEXT,
      count: { type: ['integer', 'null'], minimum: 1 },
      isAdult: { type: 'boolean', default: false },
      color: { type: 'string', oneOf: choices },
      size: { enum: ['s', 'm'], enumNames: ['Small', 'Medium'] },
      many: { type: 'array', items: { anyOf: choices }, maxItems: 2 },
      others: { type: 'array', items: { type: 'string', enum: ['x'] } },
    };
    expect(formFault(form(fields, { required: ['name'], additionalProperties: false }))).toBeNull();
    expect(formFault({})).toBeNull();
  });
});
