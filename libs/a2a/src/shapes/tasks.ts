import { endsStream, roleTo03, roleTo10, stateTo03, stateTo10 } from './enums';
import { listAt, moved, objectAt, picked, pickedTexts, type Members } from './members';
import { partTo03, partTo10 } from './parts';

const MESSAGE = ['messageId', 'metadata', 'extensions', 'referenceTaskIds'];
const MESSAGE_IDS = ['contextId', 'taskId'];
const ARTIFACT = ['artifactId', 'name', 'description', 'metadata', 'extensions'];
const ARTIFACT_UPDATE = ['taskId', 'contextId', 'append', 'lastChunk', 'metadata'];

/** Returns a message of 0.3 as 1.0 writes it. Missing members stay missing. Throws `ShapeFault`. */
export function messageTo10(value: unknown, path = 'message'): Members {
  const message = objectAt(value, path);
  return {
    ...picked(message, [...MESSAGE, ...MESSAGE_IDS]),
    ...moved(message, 'role', 'role', (role) => roleTo10(role, `${path}.role`)),
    ...moved(message, 'parts', 'parts', (parts) => listAt(parts, `${path}.parts`, partTo10)),
  };
}

/** Returns a message of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export function messageTo03(value: unknown, path = 'message'): Members {
  const message = objectAt(value, path);
  return {
    kind: 'message',
    ...picked(message, MESSAGE),
    ...pickedTexts(message, MESSAGE_IDS),
    ...moved(message, 'role', 'role', (role) => roleTo03(role, `${path}.role`)),
    ...moved(message, 'parts', 'parts', (parts) => listAt(parts, `${path}.parts`, partTo03)),
  };
}

/** The functions of one direction, with which composite values are translated. */
interface Translation {
  readonly message: (value: unknown, path: string) => Members;
  readonly part: (value: unknown, path: string) => Members;
  readonly state: (value: unknown) => string;
}
const TO_10: Translation = { message: messageTo10, part: partTo10, state: stateTo10 };
const TO_03: Translation = { message: messageTo03, part: partTo03, state: stateTo03 };

function statusBy({ message, state }: Translation, value: unknown, path: string): Members {
  const status = objectAt(value, path);
  return {
    ...picked(status, ['timestamp']),
    ...moved(status, 'state', 'state', state),
    ...moved(status, 'message', 'message', (inner) => message(inner, `${path}.message`)),
  };
}

function artifactBy({ part }: Translation, value: unknown, path: string): Members {
  const artifact = objectAt(value, path);
  return {
    ...picked(artifact, ARTIFACT),
    ...moved(artifact, 'parts', 'parts', (parts) => listAt(parts, `${path}.parts`, part)),
  };
}

function taskBy(translation: Translation, value: unknown, path: string): Members {
  const task = objectAt(value, path);
  return {
    ...picked(task, ['id', 'contextId', 'metadata']),
    ...moved(task, 'status', 'status', (status) => statusBy(translation, status, `${path}.status`)),
    ...moved(task, 'artifacts', 'artifacts', (artifacts) =>
      listAt(artifacts, `${path}.artifacts`, (each, at) => artifactBy(translation, each, at)),
    ),
    ...moved(task, 'history', 'history', (history) =>
      listAt(history, `${path}.history`, translation.message),
    ),
  };
}

/** Returns a task of 0.3 as 1.0 writes it. Throws `ShapeFault`. */
export const taskTo10 = (value: unknown, path = 'task'): Members => taskBy(TO_10, value, path);

/** Returns a task of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export const taskTo03 = (value: unknown, path = 'task'): Members => ({
  kind: 'task',
  ...taskBy(TO_03, value, path),
});

function statusUpdateBy(translation: Translation, value: unknown, path: string): Members {
  const update = objectAt(value, path);
  return {
    ...picked(update, ['taskId', 'contextId', 'metadata']),
    ...moved(update, 'status', 'status', (status) => statusBy(translation, status, `${path}.status`)),
  };
}

/** Returns a status update of 0.3 as 1.0 writes it; 1.0 has no `final`. Throws `ShapeFault`. */
export const statusUpdateTo10 = (value: unknown, path = 'statusUpdate'): Members =>
  statusUpdateBy(TO_10, value, path);

/**
 * Returns a status update of 1.0 as 0.3 writes it, with `final` if a stream of 0.3 ends there.
 * Throws `ShapeFault`.
 */
export function statusUpdateTo03(value: unknown, path = 'statusUpdate'): Members {
  const { status } = objectAt(value, path);
  const { state } = objectAt(status, `${path}.status`);
  return { kind: 'status-update', ...statusUpdateBy(TO_03, value, path), final: endsStream(state) };
}

function artifactUpdateBy(translation: Translation, value: unknown, path: string): Members {
  const update = objectAt(value, path);
  return {
    ...picked(update, ARTIFACT_UPDATE),
    ...moved(update, 'artifact', 'artifact', (artifact) =>
      artifactBy(translation, artifact, `${path}.artifact`),
    ),
  };
}

/** Returns an artifact update of 0.3 as 1.0 writes it. Throws `ShapeFault`. */
export const artifactUpdateTo10 = (value: unknown, path = 'artifactUpdate'): Members =>
  artifactUpdateBy(TO_10, value, path);

/** Returns an artifact update of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export const artifactUpdateTo03 = (value: unknown, path = 'artifactUpdate'): Members => ({
  kind: 'artifact-update',
  ...artifactUpdateBy(TO_03, value, path),
});

/** Returns an artifact of 0.3 as 1.0 writes it. Throws `ShapeFault`. */
export const artifactTo10 = (value: unknown, path = 'artifact'): Members => artifactBy(TO_10, value, path);

/** Returns an artifact of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export const artifactTo03 = (value: unknown, path = 'artifact'): Members => artifactBy(TO_03, value, path);

/** Returns a status of a task of 0.3 as 1.0 writes it. Throws `ShapeFault`. */
export const statusTo10 = (value: unknown, path = 'status'): Members => statusBy(TO_10, value, path);

/** Returns a status of a task of 1.0 as 0.3 writes it. Throws `ShapeFault`. */
export const statusTo03 = (value: unknown, path = 'status'): Members => statusBy(TO_03, value, path);
