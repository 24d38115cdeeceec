import { GatewayError, isObject, type ErrorDetail } from '@gw/kernel';
import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type Type,
  type ValidationPipeOptions,
} from '@nestjs/common';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { setImmediate } from 'node:timers/promises';
import { membersOf } from '../fields/members';
import { cutLongLists, ITEMS_OF_A_TURN, detailsAt, type LaterItems } from './long-lists';
import { typedBody, withFreeData } from './typed-body';

const DETAILS_MAX = 100;
function* detailsOf(errors: readonly ValidationError[], parent: string): Generator<ErrorDetail> {
  for (const { property, constraints, children } of errors) {
    const path = parent ? `${parent}.${property}` : property;
    for (const message of Object.values(constraints ?? {})) yield { path, message };
    yield* detailsOf(children ?? [], path);
  }
}

/**
 * Formats a failed rule. Most rules name the field themselves: its path replaces the name, or
 * precedes rules without a name.
 */
function sentenceOf({ path, message }: ErrorDetail): string {
  const words = message.split(' ');
  const at = words.indexOf(path.slice(path.lastIndexOf('.') + 1));
  return at === -1 ? `${path}: ${message}` : words.with(at, path).join(' ');
}

/** Creates one error for all failures with the first path as `param`; at most 100 details. */
export function validationFailed(details: readonly ErrorDetail[]): GatewayError {
  const [first] = details;
  return new GatewayError('validation_failed', {
    ...(first ? { param: first.path, message: sentenceOf(first) } : {}),
    details: details.slice(0, DETAILS_MAX),
  });
}

/** Creates `validation_failed` for one field, for rules that a decorator cannot express. */
export const invalid = (path: string, message: string): GatewayError => validationFailed([{ path, message }]);

/**
 * Throws `validation_failed` for a known parameter in brackets, such as `page_size[]=10` or
 * `page_size[a]=10`. These are unknown names, so the filter would silently do nothing.
 */
function refuseBrackets(query: object, metatype: Type): void {
  const bracketed = Object.keys(query).filter((name) => name.includes('['));
  if (bracketed.length === 0) return;
  const known = membersOf(metatype);
  for (const name of bracketed) {
    const plain = name.slice(0, name.indexOf('['));
    if (known.has(plain)) throw invalid(plain, `${plain} takes no brackets: write ${plain}=…`);
  }
}

/**
 * Returns the query without unknown members, because the validation rules compare names list by
 * list.
 */
function onlyKnown(query: object, metatype: Type): object {
  const known = membersOf(metatype);
  return Object.fromEntries(Object.entries(query).filter(([name]) => known.has(name)));
}

const STRICT = Symbol('STRICT');

/** Class decorator for bodies: an unknown field at any depth is refused instead of dropped. */
export const Strict = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(STRICT, true, target);
};

const OPTIONS: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  stopAtFirstError: false,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) => validationFailed([...detailsOf(errors, '')]),
};

/**
 * Validates bodies and queries against their DTO classes. Unknown fields are dropped, unless the
 * class is `@Strict()` or the name is similar to a known one.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly body = new TypedBodyPipe(OPTIONS);

  constructor() {
    super(OPTIONS);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'custom') return value;
    if (metadata.type === 'body' && value !== undefined && !isObject(value)) {
      throw new GatewayError('body_invalid', { message: 'The request body must be a JSON object.' });
    }
    if (metadata.type === 'body') return this.body.transform(value, metadata);
    if (metadata.type !== 'query' || !isObject(value) || !metadata.metatype || !this.toValidate(metadata))
      return super.transform(value, metadata);
    refuseBrackets(value, metadata.metatype);
    return super.transform(onlyKnown(value, metadata.metatype), metadata);
  }
}

/** Passes only known members to the rules, and returns free-form data unchanged. */
class TypedBodyPipe extends ValidationPipe {
  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    if (metatype === undefined || !this.toValidate(metadata)) return super.transform(body, metadata);
    const isStrict = Reflect.hasMetadata(STRICT, metatype);
    const { body: typed, tooLong, unknown } = typedBody(body, metatype, isStrict);
    if (tooLong.length > 0) throw validationFailed([...tooLong, ...unknown]);
    const later = cutLongLists(typed, metatype);
    const { value, faults } = await this.checked(typed, metadata);
    if (unknown.length + faults.length > 0) throw validationFailed([...unknown, ...faults]);
    for (const rest of later) await this.addRest(value as object, rest);
    return value;
  }

  /** Validates the rest of a long list in separate turns; stops at the first invalid item. */
  private async addRest(body: object, { name, type, from, items }: LaterItems): Promise<void> {
    const list = Reflect.get(body, name) as unknown[];
    for (const [at, item] of items.entries()) {
      if (at % ITEMS_OF_A_TURN === 0) await setImmediate();
      const path = `${name}.${String(from + at)}`;
      if (typeof item !== 'object' || item === null || Array.isArray(item))
        throw invalid(path, `each value in ${name} must be an object`);
      const { value, faults } = await this.checked(item, { type: 'body', metatype: type, data: undefined });
      if (faults.length > 0) throw validationFailed(detailsAt(path, faults));
      list.push(value);
    }
  }

  private async checked(
    typed: unknown,
    metadata: ArgumentMetadata,
  ): Promise<{ readonly value: unknown; readonly faults: readonly ErrorDetail[] }> {
    try {
      return { value: await super.transform(typed, metadata), faults: [] };
    } catch (error) {
      if (!(error instanceof GatewayError) || error.type !== 'validation_failed') throw error;
      return { value: null, faults: error.options.details ?? [] };
    }
  }

  protected override validate(
    body: object,
    options?: ValidatorOptions,
  ): ValidationError[] | Promise<ValidationError[]> {
    withFreeData(body);
    return super.validate(body, options);
  }
}
