const OVER = 'data-session-over';

/**
 * Hides the page and its dialogs, which show data of a session that another tab has ended or
 * replaced.
 */
export const hidePage = (isHidden: boolean): void => {
  document.documentElement.toggleAttribute(OVER, isHidden);
};

/** Whether `hidePage` hides the page. */
export const isPageHidden = (): boolean => document.documentElement.hasAttribute(OVER);
