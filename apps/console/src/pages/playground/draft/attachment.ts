import type { GatewayApi } from '../../../gateway';
import type { Json } from '../../../ui/body/conversation';

/** A file of the user, which stays in the browser until it is sent. */
export interface Attachment {
  readonly name: string;
  /** Media type, such as `image/png` or `application/pdf`. */
  readonly type: string;
  readonly base64: string;
  readonly bytes: number;
}

/**
 * Maximum bytes of all attachments of a request. The gateway accepts larger bodies; most providers
 * do not.
 */
export const ATTACHMENTS_MAX = 15_000_000;
export const ATTACHED_TYPES = 'image/png,image/jpeg,image/gif,image/webp,application/pdf';

const isImage = ({ type }: Attachment): boolean => type.startsWith('image/');
const urlOf = ({ type, base64 }: Attachment): string => `data:${type};base64,${base64}`;

type Writer = (attachment: Attachment) => Json;

/** Message parts of texts and attachments in the format of each API. */
const PARTS: Readonly<Partial<Record<GatewayApi, { readonly text: string; readonly part: Writer }>>> = {
  chat: {
    text: 'text',
    part: (file) =>
      isImage(file)
        ? { type: 'image_url', image_url: { url: urlOf(file) } }
        : { type: 'file', file: { filename: file.name, file_data: urlOf(file) } },
  },
  responses: {
    text: 'input_text',
    part: (file) =>
      isImage(file)
        ? { type: 'input_image', image_url: urlOf(file) }
        : { type: 'input_file', filename: file.name, file_data: urlOf(file) },
  },
  messages: {
    text: 'text',
    part: (file) => ({
      type: isImage(file) ? 'image' : 'document',
      source: { type: 'base64', media_type: file.type, data: file.base64 },
    }),
  },
};

export const takesAttachments = (api: GatewayApi): boolean => PARTS[api] !== undefined;

/** Adds the attachments to the last user message, or in a new message when there is none. */
export function withAttachments(
  api: GatewayApi,
  messages: readonly Json[],
  attachments: readonly Attachment[],
): readonly Json[] {
  const writer = PARTS[api];
  if (writer === undefined || attachments.length === 0) return messages;
  const parts = attachments.map(writer.part);
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && typeof content === 'string');
  if (at < 0) return [...messages, { role: 'user', content: parts }];
  return messages.map((message, index) =>
    index === at
      ? { ...message, content: [{ type: writer.text, text: message['content'] }, ...parts] }
      : message,
  );
}

/** Joins two lists; null when all together exceed `ATTACHMENTS_MAX`. */
export function joined(
  before: readonly Attachment[],
  more: readonly Attachment[],
): readonly Attachment[] | null {
  const all = [...before, ...more];
  return all.reduce((sum, { bytes }) => sum + bytes, 0) > ATTACHMENTS_MAX ? null : all;
}

/**
 * Reads files and appends them to `before`. Resolves to null when all together exceed
 * `ATTACHMENTS_MAX`.
 */
export async function attachmentsOf(
  files: readonly File[],
  before: readonly Attachment[],
): Promise<readonly Attachment[] | null> {
  const total = [...before.map(({ bytes }) => bytes), ...files.map(({ size }) => size)];
  if (total.reduce((sum, bytes) => sum + bytes, 0) > ATTACHMENTS_MAX) return null;
  const read = await Promise.all(
    files.map(async (file) => ({
      name: file.name,
      type: file.type,
      base64: await base64Of(file),
      bytes: file.size,
    })),
  );
  return [...before, ...read];
}

const base64Of = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve((reader.result as string).replace(/^[^,]*,/, '')));
    reader.addEventListener('error', () => reject(reader.error ?? new TypeError(file.name)));
    reader.readAsDataURL(file);
  });
