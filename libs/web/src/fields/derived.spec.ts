import 'reflect-metadata';
import { GatewayError } from '@gw/kernel';
import { RowResponse } from '../responses';
import { RequestValidationPipe } from '../http/validation-pipe';
import { ResponseField } from './response-fields';
import { NestedListField } from './composite-fields';
import { responseOf, omitOf, partialOf, pickOf } from './derived';
import { fieldsOf } from './documented-fields';
import { assign, columnsOf, viewOf } from './rows';
import { EnumField, IntegerField, TextField } from './scalar-fields';

class Part {
  @IntegerField({ min: 1 }) size!: number;
}

class ThingFields {
  @TextField({ max: 9, pattern: /^\w+$/, description: 'As it is written.', example: 'one' }) name!: string;
  @TextField({ optional: true, nullable: true }) color_code?: string | null;
  @EnumField(['a', 'b'], { optional: true }) kind?: string;
  @NestedListField(() => Part, { optional: true }) parts?: Part[];
}

class ThingResponse extends responseOf(omitOf(ThingFields, 'parts'), RowResponse) {
  @ResponseField.time({ nullable: true }) readonly expires_at!: string | null;
  @ResponseField.text({ description: 'Made of the name.' }) override readonly kind!: string;
}

const ROW = {
  ...{ name: 'one', colorCode: null, kind: 'a', secret: 'hidden', version: 7 },
  ...{ createdAt: new Date(0), lastUpdatedAt: new Date(1), expiresAt: new Date(2) },
};

const pipe = new RequestValidationPipe();
const check = (metatype: new () => object, body: object): Promise<unknown> =>
  pipe.transform(body, { type: 'body', metatype, data: undefined });

describe('partialOf, pickOf and responseOf', () => {
  it('accept a subset of the fields in an update, with the same rules, and null only for nullable fields', async () => {
    class UpdateThing extends partialOf(ThingFields) {}
    await expect(check(UpdateThing, {})).resolves.toEqual({});
    await expect(check(UpdateThing, { color_code: null })).resolves.toEqual({ color_code: null });
    await expect(check(UpdateThing, { name: null })).rejects.toThrow(GatewayError);
    await expect(check(UpdateThing, { name: 'too long a name' })).rejects.toThrow(GatewayError);
  });

  it.each([partialOf(ThingFields), pickOf(ThingFields, 'parts')])(
    'check nested objects like the original class (%#)',
    async (type) => {
      await expect(check(type, { parts: [{ size: 2 }] })).resolves.toEqual({ parts: [{ size: 2 }] });
      await expect(check(type, { parts: [{ size: 0 }] })).rejects.toThrow(GatewayError);
    },
  );

  it('document a response without bounds, with its own descriptions', () => {
    const fields = fieldsOf(ThingResponse);
    expect([...fields.keys()].sort()).toEqual(
      ['color_code', 'created_at', 'etag', 'expires_at', 'kind', 'last_updated_at', 'name'].sort(),
    );
    expect(fields.get('name')).toEqual({ type: 'string', example: 'one', required: true });
    expect(fields.get('color_code')).toEqual({ type: 'string', nullable: true, required: true });
    expect(fields.get('kind')).toMatchObject({ enum: ['a', 'b'], description: 'Made of the name.' });
  });
});

describe('viewOf', () => {
  it('returns only the documented fields of a row, with times as text', () => {
    expect(viewOf(ThingResponse, ROW)).toEqual({
      ...{ name: 'one', color_code: null, kind: 'a', expires_at: '1970-01-01T00:00:00.002Z', etag: '"7"' },
      ...{ created_at: '1970-01-01T00:00:00.000Z', last_updated_at: '1970-01-01T00:00:00.001Z' },
    });
  });

  it('prefers a given value to that of the column', () => {
    expect(viewOf(ThingResponse, ROW, { kind: 'b' }).kind).toBe('b');
  });
});

describe('columnsOf and assign', () => {
  const Plain = pickOf(ThingFields, 'name', 'color_code');

  it('set only the columns of the fields in a new row, with null for missing fields', () => {
    const input = { name: 'two', secret: 'mine', version: 9 };
    expect(columnsOf(Plain, input)).toEqual({ name: 'two', colorCode: null });
  });

  it('change the fields in the request, clear those that are null, and keep all others', () => {
    const row: { name: string; colorCode: string | null; secret: string } = {
      ...{ name: 'one', colorCode: 'red', secret: 'hidden' },
    };
    assign(Plain, row, { name: 'two', secret: 'mine' } as { name: string });
    expect(row).toEqual({ name: 'two', colorCode: 'red', secret: 'hidden' });
    assign(Plain, row, { color_code: null });
    expect(row).toEqual({ name: 'two', colorCode: null, secret: 'hidden' });
  });
});
