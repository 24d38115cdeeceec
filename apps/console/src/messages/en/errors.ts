export const errors = {
  notFoundTitle: 'Not here, or not yours',
  notFound: 'There is no page at this address, or you may not see it.',
  toHome: 'Go to Home',
  brokenTitle: 'This part of the page failed',
  tryAgain: 'Try again',
  requestId: (id: string) => `Request ${id}`,
  gatewayUnreachable: (origin: string) =>
    `The gateway at ${origin} did not answer this browser. Check that it runs at this address and that CORS_ALLOWED_ORIGINS has the address of this console.`,
  eventTooLarge: 'An event of the stream is larger than 32 MB.',
  gatewayCut: 'The connection to the gateway broke off before the response was complete.',
  notBelow: (base: string) => `The path is not below ${base}.`,
  newerTitle: 'A newer console is installed',
  newer: 'Reload to use it. Drafts are kept.',
  reload: 'Reload',
};
