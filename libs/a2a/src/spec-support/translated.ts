import { isObject } from '@gw/kernel';
import { methodNamed, methodOf, translateError, type A2aVersion, type Members } from '../index';
import { roleTo03, roleTo10, stateTo03, stateTo10 } from '../shapes/enums';
import { eventTo03, eventTo10 } from '../shapes/events';
import { partTo03, partTo10 } from '../shapes/parts';
import {
  configurationTo03,
  configurationTo10,
  pushConfigTo03,
  pushConfigTo10,
  sendTo03,
  sendTo10,
  taskPushConfigTo03,
  taskPushConfigTo10,
} from '../shapes/requests';
import {
  artifactTo03,
  artifactTo10,
  messageTo03,
  messageTo10,
  statusTo03,
  statusTo10,
  taskTo03,
} from '../shapes/tasks';

type Translate = (value: Members) => unknown;

/** A shape, recognised by its members, with its translations to 1.0 and 0.3. */
interface Shape {
  readonly has: readonly string[];
  readonly to10: Translate;
  readonly to03: Translate;
}

const of = (has: string | readonly string[], to10: Translate, to03: Translate): Shape => ({
  has: typeof has === 'string' ? [has] : has,
  to10,
  to03,
});
const wrong = (): never => {
  throw new Error('The version has no such shape.');
};

/** Shapes in the order of recognition: the first whose members are all present applies. */
const SHAPES: readonly Shape[] = [
  of('configuration', sendTo10, sendTo03),
  of('pushNotificationConfig', taskPushConfigTo10, wrong),
  of('statusUpdate', wrong, eventTo03),
  of('artifactUpdate', wrong, eventTo03),
  of('task', wrong, eventTo03),
  of('message', sendTo10, eventTo03),
  of('artifact', eventTo10, wrong),
  of('artifactId', artifactTo10, artifactTo03),
  of(['id', 'status'], eventTo10, taskTo03),
  of('messageId', eventTo10, messageTo03),
  of(['taskId', 'status'], eventTo10, wrong),
  of(['taskId', 'url'], wrong, taskPushConfigTo03),
  of('state', statusTo10, statusTo03),
  of(
    'code',
    (error) => translateError(error, '1.0'),
    (error) => translateError(error, '0.3'),
  ),
  of('parts', messageTo10, messageTo03),
  // Only messages have this member.
  of(
    'role',
    ({ role }) => ({ role: roleTo10(role) }),
    ({ role }) => ({ role: roleTo03(role) }),
  ),
  of('blocking', configurationTo10, wrong),
  of('returnImmediately', wrong, configurationTo03),
  of('token', pushConfigTo10, pushConfigTo03),
  of('authentication', pushConfigTo10, pushConfigTo03),
  of([], partTo10, partTo03),
];

/** Translates any value of the vectors like the gateway does. */
export function translated(
  value: unknown,
  { from, to }: { readonly from: A2aVersion; readonly to: A2aVersion },
): unknown {
  if (typeof value === 'string') return translatedText(value, to);
  if (!isObject(value)) throw new Error('A value must be a text or an object.');
  const shape = SHAPES.find(({ has }) => has.every((name) => name in value));
  if (shape === undefined || from === to) throw new Error('There is nothing to translate.');
  return to === '1.0' ? shape.to10(value) : shape.to03(value);
}

function translatedText(text: string, to: A2aVersion): string | null {
  const method = methodNamed(text);
  if (method !== null) return methodOf(method.operation, to);
  if (/^(?:user|agent|ROLE_\w+)$/.test(text)) return to === '1.0' ? roleTo10(text) : roleTo03(text);
  return to === '1.0' ? stateTo10(text) : stateTo03(text);
}
