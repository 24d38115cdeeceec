import { ResponseField } from '@gw/web';

/** Which capabilities of an upstream wait for approval. */
export const APPROVAL_MODES = ['auto', 'review_changes', 'review_all'] as const;

/** Whether a capability that changed is hidden, or stays in its approved form. */
export const ON_CHANGE = ['block', 'serve_approved'] as const;

/** States of a capability. */
export const STATES = ['approved', 'pending', 'changed', 'serve_approved', 'rejected'] as const;

/** A sign of an attack in a definition. */
export class FindingResponse {
  @ResponseField.text({ example: 'hidden_characters' }) readonly rule!: string;
  @ResponseField.text({ example: 'high' }) readonly severity!: string;
}
