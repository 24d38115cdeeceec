export const errors = {
  notFoundTitle: 'Not here, or not yours',
  notFound: 'There is no page at this address, or you may not see it.',
  toHome: 'Go to Home',
  brokenTitle: 'This part of the page failed',
  tryAgain: 'Try again',
  requestId: (id: string) => `Request ${id}`,
  newerTitle: 'A newer console is installed',
  newer: 'Reload to use it. Drafts are kept.',
  reload: 'Reload',
};
