export const home = {
  title: 'Home',
  welcome: (workspace: string) => `${workspace} is ready.`,
};
