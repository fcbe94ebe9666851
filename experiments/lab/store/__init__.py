"""Files of the lab: read at the edge, checked by schema, turned into types."""
