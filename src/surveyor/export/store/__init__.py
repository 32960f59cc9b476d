"""The statements of exports: each a stream of pages of rows, in the order that `values.What` names."""
