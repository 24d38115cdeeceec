import { Module } from '@nestjs/common';
import { OrganisationPropertiesController } from './organisation-properties.controller';
import { OrganisationPropertiesService } from './organisation-properties.service';

@Module({ controllers: [OrganisationPropertiesController], providers: [OrganisationPropertiesService] })
export class OrganisationPropertiesModule {}
