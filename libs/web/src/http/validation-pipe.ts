import { GatewayError, type ErrorDetail } from '@gw/kernel';
import {
  Injectable,
  ValidationPipe,
  type ArgumentMetadata,
  type Type,
  type ValidationPipeOptions,
} from '@nestjs/common';
import { getMetadataStorage, ValidationError, type ValidatorOptions } from 'class-validator';
import { withFreeData, withoutFreeData } from './free-data';
import { misspeltMembers } from './misspelt-members';
import { withoutMarks } from './object-names';

const DETAILS_MAX = 100;
/** Deeper than any field takes, and shallow enough for whatever walks a value by recursion. */
const DEPTH_MAX = 128;

/** A walk that ends at the bound, so it can't run out of stack itself. */
function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}

function* detailsOf(errors: readonly ValidationError[], parent: string): Generator<ErrorDetail> {
  for (const { property, constraints, children } of errors) {
    const path = parent ? `${parent}.${property}` : property;
    for (const message of Object.values(constraints ?? {}))
      yield { path: withoutMarks(path), message: withoutMarks(message) };
    yield* detailsOf(children ?? [], path);
  }
}

/** Most rules name the field themselves: its path stands where they do, and in front of those that do not. */
function sentenceOf({ path, message }: ErrorDetail): string {
  const words = message.split(' ');
  const at = words.indexOf(path.slice(path.lastIndexOf('.') + 1));
  return at === -1 ? `${path}: ${message}` : words.with(at, path).join(' ');
}

/** One error for all failures, the first path as its `param`; at most 100 details. */
export function validationFailed(details: readonly ErrorDetail[]): GatewayError {
  const [first] = details;
  return new GatewayError('validation_failed', {
    ...(first ? { param: first.path, message: sentenceOf(first) } : {}),
    details: details.slice(0, DETAILS_MAX),
  });
}

/** Throws `validation_failed` for one field, from a rule that a decorator can't say. */
export const invalid = (path: string, message: string): GatewayError => validationFailed([{ path, message }]);

/**
 * `page_size[]=10` and `page_size[a]=10` would be names that no route knows, and so a filter that silently does nothing.
 * Throws `validation_failed` for such a form of a parameter that the class knows.
 */
function refuseBrackets(query: object, metatype: Type): void {
  const bracketed = Object.keys(query).filter((name) => name.includes('['));
  if (bracketed.length === 0) return;
  const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
  const known = new Set(rules.map(({ propertyName }) => propertyName));
  for (const name of bracketed) {
    const plain = name.slice(0, name.indexOf('['));
    if (known.has(plain)) throw invalid(plain, `${plain} takes no brackets: write ${plain}=…`);
  }
}

const STRICT = Symbol('STRICT');

/** For the class of a body: a field that it does not know, at any depth, is refused and not dropped. */
export const Strict = (): ClassDecorator => (target) => {
  Reflect.defineMetadata(STRICT, true, target);
};

const isStrict = ({ metatype }: ArgumentMetadata): boolean =>
  metatype !== undefined && Reflect.hasMetadata(STRICT, metatype);

const OPTIONS: ValidationPipeOptions = {
  transform: true,
  whitelist: true,
  stopAtFirstError: false,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
  exceptionFactory: (errors) => validationFailed([...detailsOf(errors, '')]),
};

/** Leaves the free data of a body as it came. */
class StrictBodyPipe extends ValidationPipe {
  override async transform(body: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype } = metadata;
    const isTyped = metatype !== undefined && this.toValidate(metadata);
    return super.transform(isTyped ? withoutFreeData(body, metatype) : body, metadata);
  }

  protected override validate(
    body: object,
    options?: ValidatorOptions,
  ): ValidationError[] | Promise<ValidationError[]> {
    withFreeData(body);
    return super.validate(body, options);
  }
}

/** Refuses misspelt members of a body, and drops other unknown ones. */
class BodyPipe extends StrictBodyPipe {
  protected override async validate(body: object, options?: ValidatorOptions): Promise<ValidationError[]> {
    // Before the rules are checked, which drops every unknown member.
    const misspelt = misspeltMembers(body).map(({ path, message }) =>
      Object.assign(new ValidationError(), { property: path, constraints: { misspelt: message } }),
    );
    return [...misspelt, ...(await super.validate(body, options))];
  }
}

/**
 * Checks bodies and queries against their DTO classes. Unknown fields are dropped, unless the class is `@Strict()`, or they are spelt
 * almost like a known one.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly body = new BodyPipe(OPTIONS);
  private readonly strict = new StrictBodyPipe({ ...OPTIONS, forbidNonWhitelisted: true });

  constructor() {
    super(OPTIONS);
  }

  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type === 'custom') return value;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (metadata.type === 'body' && value !== undefined && !isObject) {
      throw new GatewayError('body_invalid', { message: 'The request body must be a JSON object.' });
    }
    if (isDeeperThan(value, DEPTH_MAX)) {
      throw new GatewayError('body_invalid', {
        message: `The request body is nested deeper than ${String(DEPTH_MAX)} levels.`,
      });
    }
    if (metadata.type === 'query' && isObject && metadata.metatype) refuseBrackets(value, metadata.metatype);
    return this.checked(value, metadata);
  }

  private async checked(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (isStrict(metadata)) return this.strict.transform(value, metadata);
    return metadata.type === 'body' ? this.body.transform(value, metadata) : super.transform(value, metadata);
  }
}
