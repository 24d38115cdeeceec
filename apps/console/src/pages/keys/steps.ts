/** Steps of the wizard; any of them can be the last. */
export const STEPS = ['purpose', 'scopes', 'limits', 'defaults', 'life'] as const;
export type Step = (typeof STEPS)[number];

/** Tabs of a key. */
export const TABS = ['use', 'edit', 'access', 'history'] as const;
