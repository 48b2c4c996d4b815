import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntitySubscriberInterface, type UpdateEvent } from 'typeorm';
import { Customer } from './customers.tables.js';

/** Logs which columns of customers change, without values. A TypeORM subscriber adds itself to the data source. */
@Injectable()
export class CustomerChanges implements EntitySubscriberInterface<Customer> {
  private readonly logger = new Logger(CustomerChanges.name);

  constructor(@InjectDataSource() source: DataSource) {
    source.subscribers.push(this);
  }

  listenTo(): typeof Customer {
    return Customer;
  }

  afterUpdate({ entity }: UpdateEvent<Customer>): void {
    this.logger.log(`A customer changed: ${Object.keys(entity ?? {}).join(', ')}.`);
  }
}
