import { ResponseField } from '@gw/web';

/** When capabilities of an upstream wait for approval. */
export const APPROVAL_MODES = ['auto', 'review_changes', 'review_all'] as const;

/**
 * Effects of a change on a capability: `block` hides it, `serve_approved` serves its approved form.
 */
export const ON_CHANGE = ['block', 'serve_approved'] as const;

/** Approval states of a capability. */
export const STATES = ['approved', 'pending', 'changed', 'serve_approved', 'rejected'] as const;

/** A sign of an attack in a definition. */
export class FindingResponse {
  @ResponseField.text({ example: 'hidden_characters' }) readonly rule!: string;
  @ResponseField.text({ example: 'high' }) readonly severity!: string;
}
