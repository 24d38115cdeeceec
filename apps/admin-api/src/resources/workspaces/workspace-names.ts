import type { WorkspaceEntity } from '@gw/entities';

/** `display` shows the emoji before the name, `plain` takes it away. */
export type NameFormat = 'display' | 'plain';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Flags, joined families, skin tones and keycaps are one; a digit or a `©` by itself is text. */
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\u20E3/u;

/** The name without the one emoji that it begins with; as it is when there would be nothing left. */
export function withoutEmoji(name: string): string {
  const [first] = graphemes.segment(name);
  if (first === undefined || !EMOJI.test(first.segment)) return name;
  const rest = name.slice(first.segment.length).trimStart();
  return rest === '' ? name : rest;
}

/** The emoji before a name is the workspace's icon, or else part of the name itself. */
export function displayName(
  { name, icon }: Pick<WorkspaceEntity, 'name' | 'icon'>,
  format: NameFormat,
): string {
  if (icon === null) return format === 'plain' ? withoutEmoji(name) : name;
  return format === 'plain' ? name : `${icon} ${name}`;
}
