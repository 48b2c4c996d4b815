import { Controller, type DynamicModule, Get, Injectable, Module, Param } from '@nestjs/common';
import { Application, type Environment, LintelModule } from 'lintel';
import { DataSource } from 'typeorm';
import { definition } from '../definition.js';
import { StockService } from '../stock/stock.service.js';

/** Warehouse as it was asked before there was Lintel. What Acme's modules know, it gets from the application. */
@Injectable()
class Shelves {
  constructor(private readonly lintel: Application) {}

  count(sku: string): Promise<number> {
    return this.lintel.get(StockService).count(this.lintel.get(DataSource).manager, sku);
  }
}

/** Declares nothing of Lintel's: it is reached inside of the building alone. */
@Controller('shelves')
class ShelvesController {
  constructor(private readonly shelves: Shelves) {}

  @Get(':sku')
  async count(@Param('sku') sku: string): Promise<{ sku: string; pieces: number }> {
    return { sku, pieces: await this.shelves.count(sku) };
  }
}

/** The application of the warehouse, on Express, with all of Acme below `/api`. */
@Module({})
export class WarehouseModule {
  /** @param environment the variables of Lintel; those of the process unless given. */
  static forRoot(environment?: Environment): DynamicModule {
    const options = { scope: { prefix: ['/api', '/dash', '/auth'] }, ...(environment && { environment }) };
    return {
      module: WarehouseModule,
      imports: [LintelModule.forRoot(definition, options)],
      controllers: [ShelvesController],
      providers: [Shelves],
    };
  }
}
