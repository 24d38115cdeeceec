import { Module } from '@nestjs/common';
import { ConsoleRoutes } from './console-routes';

/** Serves the web console. */
@Module({ providers: [ConsoleRoutes] })
export class ConsoleModule {}
